#include <fmt/format.h>

#include <iterator>

#include "models/cmlm/cmlm_fields.h"
#include "models/common/scalars.h"

namespace kurve::models::cmlm {
namespace {

/// Similarity of the states of a mask-predict decoding, of each selected pass.
std::vector<ScalarSpec> isotropyScalars() {
    struct Site {
        const char *id, *title, *doc;
    };
    constexpr Site kSites[] = {
        {"logits", "", "the vocabulary logits"},
        {"centred", "centred, ",
         "the logits less their mean over the vocabulary, which softmax does not see,"},
        {"features", "features, ", "the last states"}};
    std::vector<ScalarSpec> scalars;
    for (const int pass : {1, 4, 10})
        for (const Site& site : kSites) {
            const std::string at = fmt::format("{}_{}", site.id, pass),
                              where = fmt::format("{}pass {}", site.title, pass),
                              of = fmt::format("{} of different words after pass {}", site.doc, pass);
            scalars.push_back({"valid_similarity_" + at, "Similarity, " + where, "",
                               "mean cosine between " + of, false, false});
            if (std::string(site.id) == "features") continue;
            scalars.push_back(
                {"valid_above_margin_" + at, "Pairs above the margin, " + where, "",
                 "fraction of pairs that the contrastive loss would push apart, cosine between " + of, false,
                 false});
            scalars.push_back(
                {"valid_rank_" + at, "Effective rank, " + where, "",
                 "exp of the entropy of the singular values' fractions of a sentence's states, mean over "
                 "sentences; 1: all on a line. Of " +
                     of,
                 true, false});
            for (int from = 0; pass == 10 && from <= 40; from += 10) {
                const std::string length = from == 40 ? std::string("40 tokens and more")
                                                      : fmt::format("{} to {} tokens", from, from + 9);
                scalars.push_back({fmt::format("valid_similarity_{}_from{}", at, from),
                                   fmt::format("Similarity, {}, sources of {}", where, length), "",
                                   "mean cosine between " + of + ", by the source's length", false, false});
            }
        }
    return scalars;
}

std::vector<ScalarSpec> lossScalars() {
    return withValidation(
        {{"loss_token", "Token loss", "nats", "label-smoothed cross entropy of the masked tokens", false,
          true},
         {"loss_corr", "Correction loss", "nats",
          "the same of unmasked tokens that were replaced by the model's own predictions", false, true},
         {"loss_cl_logits", "Contrastive loss, logits", "",
          "hinge on the cosines between the vocabulary logits of different positions", false, true},
         {"loss_cl_features", "Contrastive loss, features", "",
          "hinge on the cosines between the last states of different positions", false, true},
         maskedNllScalar(),
         lengthLossScalar()});
}

}  // namespace

std::vector<ScalarSpec> trainingScalars() {
    constexpr int kMostLayers = 12;
    std::vector<ScalarSpec> all = lossScalars(), isotropy = isotropyScalars();
    std::move(isotropy.begin(), isotropy.end(), std::back_inserter(all));
    for (int layer = 0; layer < kMostLayers; ++layer)
        all.push_back({fmt::format("alpha_{}", layer), fmt::format("Look Neighbors, layer {}", layer), "",
                       "weight of the whole-sentence attention in that decoder layer; the rest is its "
                       "neighbours', 0.5 at first",
                       true, false});
    all.push_back(embeddingDeviationScalar());
    return all;
}

}  // namespace kurve::models::cmlm
