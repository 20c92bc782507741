#include "core/train/position_dependence.h"

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::train {
namespace {

using metrics::CentredDistances;

std::vector<CentredDistances> distancesOf(const at::Tensor& logits) {
    std::vector<CentredDistances> all;
    const auto count = static_cast<std::size_t>(logits.size(1)),
               width = static_cast<std::size_t>(logits.size(2));
    for (std::int64_t j = 0; j < logits.size(0); ++j)
        all.emplace_back(metrics::Observations{
            {logits.const_data_ptr<double>() + static_cast<std::size_t>(j) * count * width, count * width},
            count,
            width});
    return all;
}

void addContext(const std::vector<CentredDistances>& positions, const DependenceRequest& request,
                std::uint64_t context, PositionDependence& out) {
    const std::size_t n = positions.size();
    double sum = 0, adjacent = 0, permuted = 0;
    for (std::size_t i = 0; i < n; ++i) {
        out.matrix[i][i] += 1;
        for (std::size_t j = 0; j < i; ++j) {
            const double value = metrics::distanceCorrelation(positions[i], positions[j]);
            out.matrix[i][j] += value;
            out.matrix[j][i] += value;
            sum += value;
            if (i == j + 1) adjacent += value;
            permuted +=
                metrics::permutedDistanceCorrelation(positions[i], positions[j], request.permutations,
                                                     request.perturbation.seed + context * n * n + i * n + j);
        }
    }
    const double pairs = static_cast<double>(n * (n - 1)) / 2;
    out.offDiagonal.push_back(sum / pairs);
    out.neighbours.push_back(adjacent / static_cast<double>(n - 1));
    out.permuted.push_back(permuted / pairs);
}

}  // namespace

Result<PositionDependence> positionDependence(MultiTokenPrediction& model, const DependenceRequest& request) {
    const auto n = static_cast<std::size_t>(model.tokensPerState());
    KURVE_CHECK(n >= 2 && !request.contexts.empty(), "{} positions, {} contexts", n, request.contexts.size());
    PositionDependence out;
    out.matrix.assign(n, std::vector<double>(n));
    for (std::size_t c = 0; c < request.contexts.size(); ++c) {
        if ((out.cancelled = request.cancel.requested())) return out;
        Perturbation perturbation = request.perturbation;
        perturbation.row = c;
        KURVE_TRY(const at::Tensor logits, model.perturbedLogits(request.contexts[c], perturbation));
        addContext(distancesOf(logits), request, c, out);
        if (request.progress)
            request.progress(static_cast<double>(c + 1) / static_cast<double>(request.contexts.size()));
    }
    for (auto& row : out.matrix)
        for (double& value : row) value /= static_cast<double>(request.contexts.size());
    return out;
}

std::vector<std::vector<std::int32_t>> dependenceContexts(const std::vector<std::vector<std::int32_t>>& texts,
                                                          std::size_t count, std::int64_t n,
                                                          std::uint64_t seed) {
    RandomStream stream(seed, "dependence.context");
    std::vector<std::vector<std::int32_t>> contexts;
    for (const auto& text : texts) {
        if (contexts.size() == count) break;
        const std::int64_t longest = static_cast<std::int64_t>(text.size()) - n;
        if (longest < 1) continue;
        const auto length = 1 + stream.below(static_cast<std::uint64_t>(longest));
        contexts.emplace_back(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    }
    return contexts;
}

}  // namespace kurve::train
