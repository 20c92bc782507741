#include "core/metrics/metric.h"

namespace kurve::metrics {

// Units are what an axis shows; "nats" are natural-logarithm bits of information per token.
std::span<const ScalarInfo> scalarInfos() {
    static const std::vector<ScalarInfo> infos{
        {"loss", "Loss", "", "what the optimizer lowers: the weighted sum of its parts", false, true},
        {"loss_diff", "Diffusion loss", "", "mean squared error of the estimated clean embeddings", false,
         true},
        {"loss_anchor", "Anchor loss", "nats", "label-smoothed cross entropy of the words at the estimate",
         false, true},
        {"loss_length", "Length loss", "nats", "cross entropy of the predicted length", false, true},
        {"nll", "NLL", "nats", "negative log-likelihood of a training token, without label smoothing", false,
         true},
        {"valid_loss", "Validation loss", "", "the training loss on the validation split", false, true},
        {"valid_loss_diff", "Validation diffusion loss", "", "the diffusion loss on the validation split",
         false, true},
        {"valid_loss_anchor", "Validation anchor loss", "nats", "the anchor loss on the validation split",
         false, true},
        {"valid_loss_length", "Validation length loss", "nats", "the length loss on the validation split",
         false, true},
        {"valid_nll", "Validation NLL", "nats", "negative log-likelihood of a validation token", false, true},
        {"valid_bleu", "Validation BLEU", "", "BLEU of outputs sampled for the validation split, 0 to 100",
         true, false},
        {"copy_bleu", "BLEU of copying", "", "BLEU of giving the source back unchanged: the line to beat",
         true, false},
        {"lr", "Learning rate", "", "step size of the optimizer", true, true},
        {"grad_norm", "Gradient norm", "", "before clipping, over all parameters", false, true},
        {"update_ratio", "Update / weight", "",
         "norm of the update over norm of the weights; near 1e-3 is usual", false, true},
        {"tokens_seen", "Tokens seen", "tokens", "target tokens trained on since the run began", true, false},
        {"examples_seen", "Examples seen", "examples",
         "training pairs since the run began, repeated ones counted again", true, false},
        {"epoch", "Epoch", "epochs", "passes through the training data", true, false},
        {"tokens_per_second", "Throughput", "tokens/s", "target tokens trained on per second", true, false},
        {"data_wait", "Data wait", "%", "share of the step spent waiting for the next batch", false, false},
        {"rss_mb", "Memory", "MB", "resident memory of the engine", false, false},
        {"embedding_std", "Embedding spread", "",
         "standard deviation of the embedding table; a fall warns of collapse", true, false},
    };
    return infos;
}

}  // namespace kurve::metrics
