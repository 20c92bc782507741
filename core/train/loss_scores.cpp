#include "core/train/loss_scores.h"

#include <torch/torch.h>

#include <cmath>
#include <numeric>

#include "core/text/dataset.h"
#include "core/train/device_batch.h"

namespace kurve::train {
namespace {

/// A weighted mean and the spread of what it is the mean of.
struct Means {
    double weight = 0, sum = 0, squares = 0;
    std::int64_t count = 0;

    void add(double value, double by) {
        weight += by;
        sum += by * value;
        squares += by * value * value;
        ++count;
    }
    [[nodiscard]] metrics::Score score(std::size_t examples) const {
        metrics::Score out;
        out.value = sum / weight;
        const double variance = std::max(0.0, squares / weight - out.value * out.value);
        const double half =
            count > 1 ? 1.96 * std::sqrt(variance / static_cast<double>(count - 1)) : std::nan("");
        out.low = out.value - half;
        out.high = out.value + half;
        out.n = static_cast<int>(examples);
        return out;
    }
};

}  // namespace

std::map<std::string, metrics::Score> lossScores(SequenceModel& model, const text::Split& split,
                                                 const LossRequest& request) {
    const torch::NoGradGuard noGrad;
    constexpr auto kRows = static_cast<std::size_t>(kLossRows);
    const std::size_t examples = std::min(request.examples, split.size());
    const c10::Device device = model.module().parameters().front().device();
    std::map<std::string, Means> means;
    for (std::size_t first = 0; first < examples; first += kRows) {
        std::vector<std::int32_t> rows(std::min(kRows, examples - first));
        std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(first));
        const DeviceBatch batch = toDevice(text::makeBatch(split, rows), device);
        const LossReport loss = model.loss(batch, {request.seed, first / kRows, 0});
        const double weight = loss.rowTokens.defined() ? loss.rowTokens.sum().item<double>()
                                                       : static_cast<double>(batch.targetTokens);
        means[kLoss].add(loss.total.item<double>(), weight);
        for (const auto& [name, value] : loss.parts) means[name].add(value.item<double>(), weight);
        if (request.alive) request.alive();
    }
    std::map<std::string, metrics::Score> scores;
    for (const auto& [name, one] : means) scores[name] = one.score(examples);
    return scores;
}

}  // namespace kurve::train
