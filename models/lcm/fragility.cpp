#include "models/lcm/fragility.h"

#include <torch/torch.h>

#include "core/tensor/autocast.h"
#include "core/tensor/random.h"
#include "models/common/padding.h"

namespace kurve::models::lcm {
namespace {

constexpr double kLevels = 9, kLevelStep = 0.1;

/// Share of each sentence's tokens that are not the likeliest: [n].
at::Tensor wrongTokens(sentence_concept::ConceptNetImpl& concepts,
                       const sentence_concept::Sentences& sentences, const at::Tensor& vectors) {
    const std::int64_t length = sentences.ids.size(1);
    const at::Tensor places = realIndices(sentences.lengths, length, vectors.device()),
                     ids = sentences.ids.flatten().index_select(0, places),
                     states = concepts.decode(vectors, sentences.ids).flatten(0, 1).index_select(0, places),
                     found = at::matmul(states, concepts.outputTable().t()).argmax(-1);
    return rowMeans(found.ne(ids).to(vectors.scalar_type()), sentences.lengths, length);
}

}  // namespace

at::Tensor fragility(sentence_concept::ConceptNetImpl& concepts, const sentence_concept::Sentences& sentences,
                     const at::Tensor& normalised, const std::vector<FragileNoise>& draws) {
    const torch::NoGradGuard frozen;
    const tensor::Autocast off(normalised.device(), false);  // in bf16 the largest logits are often equal
    at::Tensor sum = at::zeros({normalised.size(0)}, normalised.options());
    for (const auto& [variance, noise] : draws) {
        const at::Tensor noisy = (1 - variance).sqrt() * normalised + variance.sqrt() * noise;
        sum = sum + wrongTokens(concepts, sentences, concepts.denormalised(noisy));
    }
    return sum / static_cast<double>(draws.size());
}

at::Tensor fragilityWeight(const at::Tensor& fragility, double slope, double offset) {
    return at::sigmoid(slope * fragility + offset);
}

std::vector<FragileNoise> fragileNoise(std::int64_t draws, const at::Tensor& like,
                                       const train::StepRandom& random) {
    const at::Tensor where = tensor::uniformRows(
        {like.size(0), 1}, {random.stream("lcm.fragility_level"), random.row}, like.device());
    std::vector<FragileNoise> all;
    for (std::int64_t k = 0; k < draws; ++k) {
        const StreamId id =
            random.stream("lcm.fragility_noise").at(random.step << 16 | static_cast<std::uint64_t>(k));
        const at::Tensor level = ((where + k) * (kLevels / static_cast<double>(draws))).floor() + 1;
        all.push_back(
            {(kLevelStep * level).to(like.scalar_type()),
             tensor::normalRows(like.sizes(), {id, random.row}, like.device()).to(like.scalar_type())});
    }
    return all;
}

}  // namespace kurve::models::lcm
