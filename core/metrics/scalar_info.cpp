#include "core/metrics/metric.h"

#include <fmt/format.h>

#include <iterator>

namespace kurve::metrics {
namespace {

/// Similarity of the states of a mask-predict decoding, of each selected pass.
std::vector<ScalarInfo> isotropyInfos() {
    struct Site {
        const char *id, *title, *doc;
    };
    constexpr Site kSites[] = {
        {"logits", "", "the vocabulary logits"},
        {"centred", "centred, ",
         "the logits less their mean over the vocabulary, which softmax does not see,"},
        {"features", "features, ", "the last states"}};
    std::vector<ScalarInfo> infos;
    for (const int pass : {1, 4, 10})
        for (const Site& site : kSites) {
            const std::string at = fmt::format("{}_{}", site.id, pass),
                              where = fmt::format("{}pass {}", site.title, pass),
                              of = fmt::format("{} of different words after pass {}", site.doc, pass);
            infos.push_back({"valid_similarity_" + at, "Similarity, " + where, "",
                             "mean cosine between " + of, false, false});
            if (std::string(site.id) == "features") continue;
            infos.push_back(
                {"valid_above_margin_" + at, "Pairs above the margin, " + where, "",
                 "fraction of pairs that the contrastive loss would push apart, cosine between " + of, false,
                 false});
            infos.push_back(
                {"valid_rank_" + at, "Effective rank, " + where, "",
                 "exp of the entropy of the singular values' fractions of a sentence's states, mean over "
                 "sentences; 1: all on a line. Of " +
                     of,
                 true, false});
            for (int from = 0; pass == 10 && from <= 40; from += 10) {
                const std::string length = from == 40 ? std::string("40 tokens and more")
                                                      : fmt::format("{} to {} tokens", from, from + 9);
                infos.push_back({fmt::format("valid_similarity_{}_from{}", at, from),
                                 fmt::format("Similarity, {}, sources of {}", where, length), "",
                                 "mean cosine between " + of + ", by the source's length", false, false});
            }
        }
    return infos;
}

// Units are what an axis shows; "nats" are natural-logarithm bits of information per token.
std::vector<ScalarInfo> trainingInfos() {
    return {
        {"loss", "Loss", "", "what the optimizer lowers: the weighted sum of its parts", false, true},
        {"loss_diff", "Diffusion loss", "", "mean squared error of the estimated clean embeddings", false,
         true},
        {"loss_anchor", "Anchor loss", "nats", "label-smoothed cross entropy of the tokens at the estimate",
         false, true},
        {"loss_length", "Length loss", "nats", "cross entropy of the predicted length", false, true},
        {"loss_token", "Token loss", "nats", "label-smoothed cross entropy of the masked tokens", false,
         true},
        {"loss_corr", "Correction loss", "nats",
         "the same of unmasked tokens that were replaced by the model's own predictions", false, true},
        {"loss_cl_logits", "Contrastive loss, logits", "",
         "hinge on the cosines between the vocabulary logits of different positions", false, true},
        {"loss_cl_features", "Contrastive loss, features", "",
         "hinge on the cosines between the last states of different positions", false, true},
        {"valid_loss_token", "Validation token loss", "nats",
         "label-smoothed cross entropy of the masked tokens", false, true},
        {"valid_loss_corr", "Validation correction loss", "nats",
         "the same of unmasked tokens that were replaced by the model's own predictions", false, true},
        {"valid_loss_cl_logits", "Validation contrastive loss, logits", "",
         "hinge on the cosines between the vocabulary logits of different positions", false, true},
        {"valid_loss_cl_features", "Validation contrastive loss, features", "",
         "hinge on the cosines between the last states of different positions", false, true},
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
        {"masked_nll", "Masked NLL", "nats", "negative log-likelihood of a masked training token", false,
         true},
        {"valid_masked_nll", "Validation masked NLL", "nats",
         "negative log-likelihood of a masked validation token", false, true},
        {"valid_nelbo", "Validation NELBO", "nats",
         "upper bound of the negative log-likelihood of a validation token, by exact-count masks", false,
         true},
        {"valid_ppl_bound", "Validation perplexity bound", "", "exp of valid_nelbo, no perplexity", false,
         true},
        {"valid_bits_per_char", "Validation bits per character", "bits",
         "the same per character, line ends counted; exact where the family's likelihood is", false, true},
        {"valid_length", "Length of samples", "tokens",
         "mean length of texts sampled without a prompt; short ones look better", true, false},
        {"valid_distinct-2", "Distinct bigrams", "", "fraction of the samples' word pairs that are distinct",
         true, false},
        {"valid_entropy", "Entropy of samples", "nats", "entropy of the samples' words", true, false},
        {"valid_bleu", "Validation BLEU", "", "BLEU of outputs sampled for the validation split, 0 to 100",
         true, false},
        {"valid_chrf", "Validation chrF", "", "chrF2 of the same outputs, 0 to 100", true, false},
        {"valid_reps_bpe", "Repeated tokens", "%", "fraction of their tokens that equal the left neighbour",
         false, false},
        {"valid_reps_word", "Repeated words", "%", "fraction of their words that equal the left neighbour",
         false, false},
        {"valid_embedding_f1", "Embedding F1", "",
         "greedy matching of their tokens by the embedding table, 0 to 1; see embedding_f1", true, false},
        {"copy_bleu", "BLEU of copying", "", "BLEU of giving the source back unchanged: the line to beat",
         true, false},
        {"gen_ppl", "Gen. perplexity", "",
         "generative perplexity: perplexity of the outputs, given their sources, under the scorer "
         "(--scorer); "
         "it rewards repetition: never alone",
         false, true},
        {"mauve", "MAUVE", "",
         "area under MAUVE's divergence frontier between outputs and references, 0 to 1, on the scorer's "
         "mean "
         "decoder states in clusters (after Pillutla et al. 2021)",
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
        {"data_wait", "Data wait", "%", "fraction of the step spent waiting for the next batch", false,
         false},
        {"rss_mb", "Memory", "MB", "resident memory of the engine", false, false},
        {"cpu_percent", "CPU", "%", "CPU time of the engine over wall time; 100 is one core", false, false},
        {"gpu_percent", "GPU", "%",
         "fraction of the time in which anything, of any program, ran on the training's GPU", true, false},
        {"gpu_memory_mb", "GPU memory", "MB",
         "memory of the training's GPU that is in use, by all programs together", false, false},
        {"embedding_std", "Embedding standard deviation", "",
         "standard deviation of the embedding table; a fall warns of collapse", true, false},
    };
}

}  // namespace

std::span<const ScalarInfo> scalarInfos() {
    static const std::vector<ScalarInfo> infos = [] {
        std::vector<ScalarInfo> all = trainingInfos(), isotropy = isotropyInfos();
        std::move(isotropy.begin(), isotropy.end(), std::back_inserter(all));
        for (int layer = 0; layer < 12; ++layer)
            all.push_back({fmt::format("alpha_{}", layer), fmt::format("Look Neighbors, layer {}", layer), "",
                           "weight of the whole-sentence attention in that decoder layer; the rest is its "
                           "neighbours', 0.5 at first",
                           true, false});
        return all;
    }();
    return infos;
}

}  // namespace kurve::metrics
