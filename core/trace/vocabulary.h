#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/curve/nearest.h"
#include "core/store/project.h"
#include "core/trace/trace.h"

namespace kurve::trace {

/// Where the whole vocabulary of a trace may be found: the weights that made it (several files may be tried)
/// and its tokenizer's table of tokens (id, token, …; tab separated).
struct VocabularySource {
    std::vector<std::filesystem::path> weights;
    std::filesystem::path tokenTable;
};

/// Where a trace's checkpoint and tokenizer are in its project.
[[nodiscard]] VocabularySource vocabularySourceOf(const store::Project& project, const Trace& trace);

/// The tokens of a table by id; empty without the file. For a worker.
[[nodiscard]] std::unordered_map<std::uint32_t, std::string> readTokens(const std::filesystem::path& file);

/// The tokens that a position's latent is compared with, as points in the space of the latents. Immutable.
class Vocabulary {
public:
    /// What the trace itself holds ("vocab/latent"): the tokens that were candidates. Null without them.
    [[nodiscard]] static std::shared_ptr<const Vocabulary> recorded(const Trace& trace);
    /// All tokens, from the checkpoint. Which tensor is the table, and how its rows become latents (a factor,
    /// or a normalisation with a gain and an offset per dimension), is found by comparing its rows with the
    /// recorded ones; so no family has to be known, and a foreign checkpoint is refused. For a worker.
    /// Errors: curve.vocabulary (with the reason), safetensors.*.
    [[nodiscard]] static Result<std::shared_ptr<const Vocabulary>> load(const VocabularySource& source,
                                                                        const Trace& trace);

    /// The embedding table of a checkpoint as it is, without a trace: the tensor with a row per token, found
    /// by its name. For a worker. Errors: curve.vocabulary, safetensors.*.
    [[nodiscard]] static Result<std::shared_ptr<const Vocabulary>> ofCheckpoint(
        const VocabularySource& source);

    [[nodiscard]] const curve::EmbeddingTable& table() const { return table_; }
    [[nodiscard]] int size() const { return table_.size(); }
    [[nodiscard]] bool whole() const { return whole_; }
    [[nodiscard]] std::uint32_t id(int row) const { return ids_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int rowOf(std::uint32_t id) const;  ///< -1 = not in it
    /// The token's text ("▁the") from the tokenizer's table; empty if it is not there.
    [[nodiscard]] const std::string& token(std::uint32_t id) const;

private:
    [[nodiscard]] static std::shared_ptr<const Vocabulary> ofRows(
        std::vector<float> rows, int dims, std::unordered_map<std::uint32_t, std::string> tokens);
    Vocabulary(std::vector<float> rows, int dims, std::vector<std::uint32_t> ids);
    curve::EmbeddingTable table_;
    std::vector<std::uint32_t> ids_;
    std::unordered_map<std::uint32_t, int> rowOf_;
    std::unordered_map<std::uint32_t, std::string> tokens_;
    bool whole_ = false;
};

}  // namespace kurve::trace
