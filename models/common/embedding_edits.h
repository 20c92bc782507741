#pragma once

#include <span>
#include <vector>

#include "core/schedule/noise_schedule.h"
#include "core/tensor/random.h"
#include "core/trace/edit.h"
#include "models/common/noisy_words.h"
#include "models/common/token_layout.h"
#include "models/common/word_table.h"

namespace kurve::models {

/// The edits of one candidate during its generation. An edit of the estimate z_0-hat moves the state z_t by
/// sqrt(alphaBar) times as much: another signal under the same noise, so that nothing of the old token
/// remains in the state. The generation's random numbers stay the same; fresh noise has its own stream.
class EmbeddingEdits {
public:
    /// `row` of the batch, its length in words and its map.
    struct Candidate {
        std::int64_t row = 0, words = 0;
        const TokenLayout* layout = nullptr;
    };
    /// All of them outlive this.
    EmbeddingEdits(std::span<const trace::Edit> edits, Candidate candidate, const WordTable& words)
        : edits_(edits), candidate_(candidate), words_(words) {}

    /// Errors: branch.position, branch.point, branch.values.
    [[nodiscard]] Status check() const;
    struct FreshNoise {
        StreamId id;
        double factor = 1;
    };
    /// Fresh noise into the network's input; the estimate `last` is removed there as well.
    void editInput(int step, const FreshNoise& noise, const Estimate& last, Noisy& noisy) const;
    /// The estimate after the network. Returns the change of `noisy.words`, to be added after recording it
    /// [L, d]; undefined for none.
    [[nodiscard]] at::Tensor editEstimate(int step, const schedule::ReverseStep& reverse,
                                          Estimate& estimate) const;

private:
    [[nodiscard]] bool actsOnEstimate(int step) const;
    void movePoints(int step, Estimate& estimate) const;
    void replaceWords(int step, const at::Tensor& words) const;
    [[nodiscard]] c10::Device device() const { return words_.embeddings.device(); }
    [[nodiscard]] at::Tensor latentOfToken(std::int64_t id) const;
    [[nodiscard]] at::Tensor asBatch(const at::Tensor& row, const at::Tensor& like) const;

    std::span<const trace::Edit> edits_;
    Candidate candidate_;
    const WordTable& words_;
};

}  // namespace kurve::models
