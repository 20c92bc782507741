#include "core/train/reranker.h"
#include "models/common/scalars.h"
#include "models/diffusia/diffusia_fields.h"

namespace kurve::models::diffusia {
namespace {

using Values = std::map<std::string, FieldValue>;

Values tinyValues(const std::string& network) {
    return {{"model.network", network},
            {"model.hidden", std::int64_t{128}},
            {"model.latent", std::int64_t{32}},
            {"model.encoder_layers", std::int64_t{2}},
            {"model.decoder_layers", std::int64_t{2}},
            {"model.heads", std::int64_t{4}},
            {"model.ffn", std::int64_t{256}},
            {"model.dropout", 0.0},
            {"model.max_positions", std::int64_t{128}},
            {"model.shared_embeddings", true},
            {"length.kind", std::string(network == "diffuseq" ? "padding" : "meanpool")},
            {"diffusion.noise_factor", 3.0},
            {"diffusion.step_sampler", std::string("uniform")},
            {"init.positions", std::string("sinusoid")},
            {"init.cross_attention", std::string("identity")},
            {"init.self_conditioning", std::string("identity")},
            {"train.lr", 2e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{100}},
            {"train.weight_decay", 0.0},
            {"train.batch_tokens", std::int64_t{240}},
            {"sampler.steps", std::int64_t{10}},
            {"sampler.clamp", true}};
}

struct PaperRun {
    std::int64_t length, rows, steps;
};

/// One maximum of both sides, where table 1 has one for each. Batches of shorter pairs have more rows.
Values paperValues(const PaperRun& run, const std::string& network = "diffusia") {
    return {{"model.network", network},
            {"data.max_length", run.length},
            {"train.steps", run.steps},
            {"train.batch_tokens", run.rows * run.length},
            {"train.lr", 1e-4},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{0}},
            {"train.beta2", 0.999},
            {"train.weight_decay", 0.0},
            {"train.max_grad_norm", 0.0},
            {"train.ema_decay", 0.9999},
            {"sampler.steps", std::int64_t{2000}},
            {"sampler.variance", std::string("large")},
            {"sampler.clamp", true},
            {"sampler.noise_beam", std::int64_t{10}},
            {"sampler.selection", std::string(train::kMbrSelection)}};
}

constexpr PaperRun kQqp{32, 1400, 50000}, kWikiAuto{128, 2048, 80000}, kQuasarT{64, 1400, 50000},
    kCcd{64, 2048, 140000};

}  // namespace

std::vector<Preset> presets() {
    std::vector<Preset> all;
    const char* const tiny =
        "learns the sample tasks on a CPU in minutes, with another start, more noise and masked padding";
    all.push_back({"tiny", tiny, tinyValues("diffusia")});
    for (const char* network : {"diffused", "without-si", "diffuseq"})
        all.push_back({std::string("tiny-") + network, tiny, tinyValues(network)});
    Values padded = tinyValues("diffused");
    padded["length.kind"] = std::string("padding");
    all.push_back({"tiny-padding", "tiny-diffused with padding as a token, as published; needs minutes more",
                   std::move(padded)});
    all.push_back({"qqp", "the paper's paraphrase model", paperValues(kQqp)});
    for (const char* network : {"diffused", "without-si", "diffuseq"})
        all.push_back(
            {std::string("qqp-") + network, "the same with another network", paperValues(kQqp, network)});
    all.push_back({"wiki-auto", "the paper's simplification model; its targets have at most 64 tokens",
                   paperValues(kWikiAuto)});
    all.push_back({"quasar-t", "the paper's question generation model; its targets have at most 32 tokens",
                   paperValues(kQuasarT)});
    all.push_back({"ccd", "the paper's dialogue model", paperValues(kCcd)});
    return all;
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all = withValidation(
        {{"loss_diff", "Diffusion loss", "", "mean squared error of the estimated clean embeddings", false,
          true},
         {"loss_rounding", "Rounding loss", "nats",
          "cross entropy of the words at the embeddings with the first step's noise: keeps them apart", false,
          true},
         {"loss_prior", "Prior loss", "", "signal that the last step leaves", false, true},
         lengthLossScalar(),
         {"rounding_nll", "Rounding NLL", "nats",
          "negative log-probability of the token when the estimate is rounded to a word; not calibrated, and "
          "not "
          "comparable across noise factors and widths",
          false, true, "rounding_nll"},
         {"relative_error", "Error relative to the embeddings", "",
          "diffusion loss over the variance of the embeddings, which shrink in training", false, true,
          "relative_error"}});
    all.push_back(embeddingDeviationScalar());
    all.push_back({"step_entropy", "Entropy of the drawn steps", "nats",
                   "of the loss-aware sampler's distribution; ln T when it is uniform", true, false,
                   "step_entropy"});
    all.push_back({"step_warmup", "Step sampler's warm-up", "%",
                   "entries of its histories that are there; below 100 it draws uniformly", true, false,
                   "step_warmup"});
    return all;
}

}  // namespace kurve::models::diffusia
