#include "models/lcm/quantizer_scores.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kurve::models::lcm {
namespace {

std::string named(const char* score, std::int64_t books) {
    return std::string(score) + "_" + std::to_string(books);
}

/// Of codes [n, books]: how often each centroid of each book is chosen, [books, centroids] f64.
at::Tensor frequencies(const at::Tensor& codes, std::int64_t centroids) {
    const at::Tensor counts = at::zeros({codes.size(1), centroids}, codes.options().dtype(at::kDouble));
    return counts.scatter_add(1, codes.t(), at::ones_like(codes.t(), counts.options())) /
           static_cast<double>(codes.size(0));
}

}  // namespace

std::map<std::string, at::Tensor> codebookScores(const QuantizerImpl& quantizer, const at::Tensor& x) {
    const at::Tensor codes = quantizer.codes(x);
    const at::Tensor left =  // [books + 1]
        at::linalg_vector_norm(x.unsqueeze(1) - quantizer.sums(codes), 2, {0, 2}).square();
    const at::Tensor error = left / left[0];
    const std::int64_t centroids = quantizer.codebooks.size(1);
    const auto most = static_cast<double>(std::min(centroids, x.size(0)));
    const at::Tensor share = frequencies(codes, centroids), used = share.gt(0).sum(1).to(at::kDouble) / most,
                     entropy = -at::xlogy(share, share).sum(1) / std::max(std::log(most), 1e-9);
    std::map<std::string, at::Tensor> scores{{"quantizer_error", error[quantizer.books()]},
                                             {"quantizer_used", used.mean()},
                                             {"quantizer_entropy", entropy.mean()}};
    for (const std::int64_t k : kMeasuredBooks) {
        if (k >= quantizer.books()) break;
        scores[named("quantizer_error", k)] = error[k];
        scores[named("quantizer_used", k)] = used[k - 1];
        scores[named("quantizer_entropy", k)] = entropy[k - 1];
    }
    return scores;
}

double exactShare(sentence_concept::ConceptNetImpl& concepts, const at::Tensor& vectors,
                  const train::DeviceBatch& batch, std::span<const std::int64_t> which,
                  std::vector<std::vector<std::int32_t>>* maybeWritten) {
    auto written = concepts.write(vectors);
    const at::Tensor ids = batch.target.to(at::kCPU);
    double met = 0;
    for (std::size_t i = 0; i < which.size(); ++i) {
        const auto* from = ids[which[i]].const_data_ptr<std::int64_t>() + 1;
        const auto length = batch.targetLengths[static_cast<std::size_t>(which[i])] - 2;
        const auto& one = written.ids[i];
        met += std::equal(one.begin(), one.end(), from, from + length) ? 1 : 0;
    }
    if (maybeWritten != nullptr) *maybeWritten = std::move(written.ids);
    return met / static_cast<double>(which.size());
}

std::map<std::string, at::Tensor> quantizerScores(LcmParts& parts, const at::Tensor& x,
                                                  const train::DeviceBatch& batch) {
    const QuantizerImpl& quantizer = *parts.quantizer;
    auto scores = codebookScores(quantizer, x);
    auto concepts = parts.concepts();
    const at::Tensor sums = quantizer.sums(quantizer.codes(x));
    std::vector<std::int64_t> all(static_cast<std::size_t>(x.size(0)));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    const auto exact = [&](std::int64_t books) {
        return at::scalar_tensor(
            exactShare(*concepts, concepts->denormalised(sums.select(1, books)), batch, all));
    };
    scores["quantizer_exact"] = exact(quantizer.books());
    for (const std::int64_t k : kMeasuredBooks)
        if (k < quantizer.books()) scores[named("quantizer_exact", k)] = exact(k);
    return scores;
}

}  // namespace kurve::models::lcm
