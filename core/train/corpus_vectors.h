#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/dataset.h"

namespace kurve::train {

class SequenceModel;

/// The error of a preparation that VectorWork::stopped ended.
inline constexpr const char* kVectorsStopped = "vectors.stopped";

/// How the vectors of a corpus are computed.
struct VectorWork {
    int threads = 1;                     ///< on a CPU, each with batches of its own
    text::Progress progress = {};        ///< fraction, and what is done; of any thread, one at a time
    std::function<bool()> stopped = {};  ///< asked between batches
};
struct PreparedVectors {
    std::int64_t sentences = 0;  ///< different ones in the corpus
    std::int64_t added = 0;      ///< of them, those that were computed now
    double seconds = 0;
    std::filesystem::path folder;    ///< where they lie; empty: nowhere
    std::vector<std::string> notes;  ///< on what was damaged there
};

/// A model that gives a sentence a vector. One thread at a time, as the model.
class SentenceEncoder {
public:
    virtual ~SentenceEncoder() = default;
    /// Of ids with BOS and EOS, [n, width] f32 on the host; `threads` compute on a CPU. Longer ones than the
    /// model takes are a ContractError.
    virtual at::Tensor encodeSentences(const std::vector<std::vector<std::int32_t>>& sentences,
                                       int threads) = 0;
    [[nodiscard]] virtual std::int64_t longestSentence() const = 0;  ///< in tokens, both ends counted
};

/// The vectors that a frozen encoder gives the sentences of a corpus: they depend on both alone, so that they
/// are computed once for all runs.
class CorpusVectors {
public:
    virtual ~CorpusVectors() = default;
    /// Computes and stores those of all splits that are not there yet. What was stored before a stop is there
    /// next time. Errors: vectors.not_finite (names the sentence), vectors.stopped, io.write.
    virtual Result<PreparedVectors> prepare(const text::Dataset& data, const VectorWork& work) = 0;
    /// Sentences of all splits whose vectors prepare() would compute.
    [[nodiscard]] virtual std::int64_t missing(const text::Dataset& data) const = 0;
    [[nodiscard]] virtual std::int64_t width() const = 0;
};

/// prepare() of what the model reads; of a model that reads no vectors there are none.
Result<PreparedVectors> prepareVectors(SequenceModel& model, const text::Dataset& data,
                                       const VectorWork& work);

}  // namespace kurve::train
