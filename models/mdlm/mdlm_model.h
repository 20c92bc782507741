#pragma once

#include <memory>
#include <optional>

#include "core/diffusion/absorbing_process.h"
#include "core/train/likelihood.h"
#include "models/mdlm/canvas.h"
#include "models/mdlm/length_predictor.h"
#include "models/mdlm/mdlm_net.h"

namespace kurve::models::mdlm {

/// MDLM (Sahoo et al. 2024) around its network: a text, alone or behind its source, is masked and predicted.
class MdlmModel : public train::SequenceModel, public train::LikelihoodBound {
public:
    struct Parts {
        MdlmNet net{nullptr};
        LengthPredictor length{nullptr};  ///< with model.length = learned; a module of `net`
        CanvasRules rules;
        std::shared_ptr<const schedule::NoiseSchedule> schedule;
    };
    MdlmModel(RunConfig config, Parts parts);

    torch::nn::Module& module() override { return *parts_.net; }
    void keepActivations(train::Activations* maybeInto) override { maybeActivations_ = maybeInto; }
    train::LossReport loss(const train::DeviceBatch& batch, const train::StepRandom& random) override;
    /// Tokens that count, masked ones of them, rows.
    [[nodiscard]] std::vector<double> lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& random) const override;
    Result<train::Generation> generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) override;
    void dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                        c10::Device device) override;
    [[nodiscard]] std::vector<trace::EditKind> edits() const override;
    [[nodiscard]] train::LikelihoodBound* likelihoodBound() override { return this; }
    /// By diffusion.bound; with a learned length also its -log p, as one token (the line end).
    Result<train::LikelihoodBounds> bound(const train::BoundRequest& request) override;
    at::Tensor tokenEmbeddings() override { return parts_.net->embedding->weight.detach(); }
    std::map<std::string, double> healthMetrics() override;
    [[nodiscard]] std::map<std::string, double> history() const override;
    void setHistory(const std::map<std::string, double>& history) override;

private:
    struct Masked;
    [[nodiscard]] Masked masked(const train::DeviceBatch& batch, const Canvas& canvas,
                                const train::StepRandom& random) const;
    [[nodiscard]] at::Tensor nllOf(const Canvas& canvas, const Masked& masked, const ForwardPass& pass);
    /// -log p(length) of each row, [B].
    [[nodiscard]] at::Tensor lengthNll(const train::DeviceBatch& batch);
    struct Draw;
    void addBounds(const train::BoundRequest& request, const std::vector<Draw>& draws,
                   train::LikelihoodBounds& out);

    RunConfig config_;
    Parts parts_;
    diffusion::AbsorbingProcess process_;
    train::Activations* maybeActivations_ = nullptr;
};

/// Mean embedding of each source, [B, H]; undefined without sources.
[[nodiscard]] at::Tensor meanSource(MdlmNetImpl& net, const at::Tensor& sources,
                                    std::span<const std::int32_t> lengths);

}  // namespace kurve::models::mdlm
