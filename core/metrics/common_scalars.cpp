#include "core/metrics/metric.h"

namespace kurve::metrics {
namespace {

// Units are what an axis shows; "nats" are natural-logarithm bits of information per token.
std::vector<ScalarSpec> allCommonScalars() {
    return {
        {"loss", "Loss", "", "what the optimizer lowers: the weighted sum of its parts", false, true},
        {"nll", "NLL", "nats", "exact negative log-likelihood of a training token, without label smoothing",
         false, true},
        {"valid_loss", "Validation loss", "", "the training loss on the validation split", false, true},
        {"valid_nll", "Validation NLL", "nats", "exact negative log-likelihood of a validation token", false,
         true},
        {"valid_nelbo", "Validation NELBO", "nats",
         "upper bound of the negative log-likelihood of a validation token, estimated by drawing noise",
         false, true},
        {"valid_ppl_bound", "Validation perplexity bound", "", "exp of valid_nelbo, no perplexity", false,
         true},
        {"valid_bits_per_char", "Validation bits per character", "bits",
         "the same per character, line ends counted; exact where the family's likelihood is", false, true},
        {"valid_future_ppl", "Validation average perplexity", "",
         "of models that predict several tokens at once: mean over the positions ahead of the exp of their "
         "NLL; not the perplexity of a text",
         false, true},
        {"valid_future_ppl_geometric", "Validation geometric mean perplexity", "",
         "the same with the NLLs averaged over the positions before the exp", false, true},
        {"valid_length", "Length of samples", "tokens",
         "mean length of texts sampled without a prompt; short ones look better", true, false},
        {"valid_distinct-2", "Distinct bigrams", "", "fraction of the samples' word pairs that are distinct",
         true, false},
        {"valid_rep-4", "Repeated 4-grams", "", "fraction of a sample's word 4-grams that it has before",
         false, false},
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
    };
}

}  // namespace

std::span<const ScalarSpec> commonScalars() {
    static const std::vector<ScalarSpec> scalars = allCommonScalars();
    return scalars;
}

}  // namespace kurve::metrics
