#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/text/sentence_vectors.h"
#include "core/train/corpus_vectors.h"
#include "core/train/run_reference.h"
#include "models/sentence_encoder/packed_encoder.h"

namespace kurve::models::sentence_encoder {

/// Vectors of sentences by a frozen run of this family, in half precision: those in data/cache, and of other
/// sentences computed; both are rounded alike, and sentences are computed with others of their length alone.
/// of() is callable from any thread, not beside prepare().
class FrozenVectors final : public train::CorpusVectors {
public:
    /// The one of all models that read the run on this device. Errors: those of frozenModel(),
    /// reference.unfit.
    static Result<std::shared_ptr<FrozenVectors>> of(train::ReferencedRun& run, c10::Device device);

    /// As EncoderNet::forward(), without gradient, [n, w] f32 of root mean square 1. Reads the ids on the
    /// host: without `maybeHostIds`, which are the same there, it waits for the device.
    [[nodiscard]] at::Tensor of(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                const at::Tensor& maybeHostIds = {});
    /// Lines on what was damaged in the cache come with the first call.
    Result<train::PreparedVectors> prepare(const text::Dataset& data, const train::VectorWork& work) override;
    [[nodiscard]] std::int64_t missing(const text::Dataset& data) const override;
    [[nodiscard]] std::int64_t width() const override { return sizes().bert.layer.hidden; }
    [[nodiscard]] std::int64_t maxTokens() const { return sizes().bert.maxPositions; }

private:
    FrozenVectors(std::unique_ptr<train::SequenceModel> model, text::SentenceVectors stored);
    struct Sentence;
    struct Chunk;
    class Count;
    [[nodiscard]] std::vector<Sentence> uncomputed(const text::Dataset& data, std::int64_t& all) const;
    void encode(Chunk& chunk, const train::VectorWork& work, Count& count);
    Status store(const Chunk& chunk, const text::Dataset& data);
    [[nodiscard]] at::Tensor found(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                   const at::Tensor& maybeHostIds);
    [[nodiscard]] const EncoderSizes& sizes() const { return encoder_.net().sizes(); }

    std::unique_ptr<train::SequenceModel> model_;
    PackedEncoder encoder_;
    text::SentenceVectors stored_;
    std::vector<std::string> notes_;  // of what was damaged in the cache
};

}  // namespace kurve::models::sentence_encoder
