#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/text/dataset.h"
#include "core/train/model_family.h"
#include "core/train/tensor_file.h"

namespace kurve::train {

class CorpusVectors;
class TextScorer;

/// Which weights of which run a field of type Run stands for, to the bit. A run keeps them under the key
/// "references" of its table run, and copies of weights, settings and tokenizers in references/FIELD of its
/// folder: it samples and resumes where the other run is not.
struct PinnedRun {
    std::string field, value;     ///< "model.autoencoder", and what the settings say there: "ae@best"
    std::string run, checkpoint;  ///< id; the name of the checkpoint's folder
    std::int64_t step = 0;
    std::string weights, tokenizer;     ///< SHA-256 of the weights' file; tokenizerHash()
    std::vector<PinnedRun> references;  ///< those of that run
};
/// Of a list of pins, as the table run has it; nothing where it is none.
[[nodiscard]] std::vector<PinnedRun> pinsFrom(const std::string& json);
[[nodiscard]] nlohmann::json pinsJson(const std::vector<PinnedRun>& pins);

/// Of a run's tokenizers, both sides.
[[nodiscard]] std::string tokenizerHash(const text::Tokenizers& tokenizers);

class RunResolver;

/// Another run, opened for its network.
struct OpenReference {
    PinnedRun pin;
    RunConfig config;
    text::Tokenizers tokenizers;
    const ModelFamily* family = nullptr;
    std::filesystem::path weights;          ///< safetensors; the averaged weights where evaluation uses them
    std::filesystem::path folder;           ///< whose references/ are its own
    std::filesystem::path cache;            ///< data/cache of the project; empty: none
    std::shared_ptr<RunResolver> resolver;  ///< of its own references
};
class ReferencedRun : public OpenReference {
public:
    explicit ReferencedRun(OpenReference opened) : OpenReference(std::move(opened)) {}
    /// A model of its own for each caller: its network in evaluation mode, of which nothing is trained. All
    /// of them share one set of weights; on "meta" there are none. A family holds it beside its module, not
    /// in it: checkpoints then need not hold what references/ holds. Errors: those of the family and of
    /// readTensors().
    Result<std::unique_ptr<SequenceModel>> frozenModel(c10::Device device);
    /// Run, checkpoint and hash, for records.
    [[nodiscard]] std::string name() const;

    /// Of a sentence encoder, by device: what all models that read it share. Its family's to set.
    std::map<std::string, std::shared_ptr<CorpusVectors>> vectors;

private:
    NamedTensors shared_;
};

/// Finds the runs that settings name: in the project, or where they are pinned and the setting is still the
/// same, in the run's own copies. Each is opened once. One thread at a time.
class RunResolver {
public:
    virtual ~RunResolver();
    /// Null for "". Errors, all with the field: run.missing, run.no_config, checkpoint.*, reference.unfit (a
    /// family that the field does not take), reference.training (it has no lasting checkpoint yet),
    /// reference.itself, reference.cycle, reference.other_weights (not those that were pinned).
    Result<std::shared_ptr<ReferencedRun>> find(const FieldSpec& field, const std::string& value);
    /// The same as a scorer of texts; lives as long as this.
    Result<TextScorer*> scorer(const FieldSpec& field, const std::string& value);

protected:
    explicit RunResolver(c10::Device device);
    virtual Result<OpenReference> open(const FieldSpec& field, const RunReference& named,
                                       const std::string& value) = 0;

private:
    c10::Device device_;
    std::map<std::string, std::shared_ptr<ReferencedRun>> runs_;
    std::map<std::string, std::unique_ptr<TextScorer>> scorers_;
};

/// The run that a field of the config names; null if it names none. Errors: those of find();
/// reference.unavailable without a resolver.
Result<std::shared_ptr<ReferencedRun>> referencedRun(const ModelContext& context, const RunConfig& config,
                                                     const std::string& field);
/// For families that exchange tokens with the other run's network. Errors: reference.other_tokenizer.
Status checkSameTokenizer(const ModelContext& context, const ReferencedRun& other);

/// Whether a run is built on what the field names. Others only read its texts: that may be itself.
[[nodiscard]] bool buildsOn(const std::string& field);
/// The fields of type Run that name one. `forStart`: also those that only the start of a run needs.
[[nodiscard]] std::vector<const FieldSpec*> namedRuns(const RunConfig& config, bool forStart);
/// Opens them all, before any work. Errors: as referencedRun().
Result<std::vector<PinnedRun>> resolveReferences(RunResolver* maybeResolver, const RunConfig& config,
                                                 bool forStart);
/// Copies what is not there yet into the run's references/, weights as hard links where that is possible.
/// Errors: as resolveReferences(), io.*.
Status storeReferences(RunResolver* maybeResolver, const RunConfig& config,
                       const std::filesystem::path& runFolder);
/// The copy of a pinned run in `owner`/references; family and resolver are the caller's to set. Errors:
/// reference.other_weights, io.*, tokenizer.*, config.*.
Result<OpenReference> openCopy(const std::filesystem::path& owner, const PinnedRun& pin,
                               const SchemaLookup& schemas);
/// A pinned run has other weights or another tokenizer than the pin says.
[[nodiscard]] Error otherWeights(const PinnedRun& pin, const std::string& found);

}  // namespace kurve::train
