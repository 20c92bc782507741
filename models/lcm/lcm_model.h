#pragma once

#include "core/train/model_family.h"
#include "models/common/quantizer.h"
#include "models/concept/concept_model.h"
#include "models/lcm/denoising.h"
#include "models/lcm/lcm_net.h"

namespace kurve::models::lcm {

/// The parts of a model. The sentence autoencoder is another run's, frozen, and no part of the module.
struct LcmParts {
    std::shared_ptr<LcmNetImpl> net;
    Quantizer quantizer{nullptr};  ///< a submodule of the net, of quant alone
    at::Tensor end;                ///< [w] buffer of the net: mean of the documents' last vectors
    at::Tensor endsSeen;           ///< scalar buffer: batches in it
    std::unique_ptr<train::SequenceModel> autoencoder;
    std::vector<double> alphaBars;  ///< [T]
    diffusion::Target target = diffusion::Target::X0;

    [[nodiscard]] sentence_concept::ConceptNet concepts() const;
    [[nodiscard]] at::Device device() const { return end.device(); }
};

/// Documents of normalised vectors.
struct Documents {
    at::Tensor vectors;                ///< [D, S, w]
    std::vector<std::int32_t> counts;  ///< [D] sentences
    at::Tensor places;                 ///< [n] i64: of all sentences, one after another, in [D, S]

    /// Rows [n, w] of all sentences one after another, as documents.
    Documents(const at::Tensor& rows, std::span<const std::int32_t> sentences);
    /// Values [D, S, …] of all sentences: [n, …].
    [[nodiscard]] at::Tensor rowsOf(const at::Tensor& values) const {
        return values.flatten(0, 1).index_select(0, places);
    }
    /// [n, …] as [D, S, …], zeros where there is no sentence.
    [[nodiscard]] at::Tensor spread(const at::Tensor& rows) const;
};

/// Training loss and generation of LCM.
class LcmModel final : public train::SequenceModel {
public:
    LcmModel(RunConfig config, LcmParts parts) : config_(std::move(config)), parts_(std::move(parts)) {}

    torch::nn::Module& module() override { return *parts_.net; }
    /// Errors: data.one_sentence, quantizer.centroids.
    [[nodiscard]] Status checkTraining(const text::Split& train,
                                       std::vector<std::string>& warnings) const override;
    /// Mean over the predicted sentences of the squared error, summed over a vector's dimensions (LCM, eq. 6
    /// and 11), or of the cross entropy of a centroid. In evaluation mode also how near the next sentences
    /// are.
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Predicted sentences.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    train::CorpusVectors* corpusVectors() override { return parts_.autoencoder->corpusVectors(); }
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;

private:
    struct Predicted {
        at::Tensor loss;       ///< [n] of each sentence, 0 of those that are not predicted
        at::Tensor logSnr;     ///< [n], undefined without noise
        at::Tensor fragility;  ///< [n], undefined where nothing is weighted by it
    };
    [[nodiscard]] at::Tensor vectorsOf(const train::DeviceBatch& batch) const;
    [[nodiscard]] Predicted next(const Documents& documents);
    [[nodiscard]] Predicted denoised(const Documents& documents, const train::DeviceBatch& batch,
                                     const train::StepRandom& random);
    /// Of all sentences, [n].
    [[nodiscard]] at::Tensor fragilityOf(const train::DeviceBatch& batch, const at::Tensor& normalised,
                                         const train::StepRandom& random) const;
    /// [n] 1 of sentences whose loss counts, else 0: those of a prompt, and the first one of Base.
    [[nodiscard]] std::vector<float> predictedRows(const train::DeviceBatch& batch) const;
    [[nodiscard]] Predicted quantized(const Documents& documents, const train::StepRandom& random);
    void observeVectors(const Documents& documents, const train::StepRandom& random);

    RunConfig config_;
    LcmParts parts_;
};

}  // namespace kurve::models::lcm
