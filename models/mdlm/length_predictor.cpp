#include "models/mdlm/length_predictor.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::models::mdlm {
namespace {

constexpr std::int64_t kDifferences = 256;
constexpr std::int32_t kShortest = 3;

}  // namespace

LengthPredictorImpl::LengthPredictorImpl(std::int64_t hidden, std::int64_t longest, bool hasSource)
    : longest_(longest) {
    if (hasSource)
        fromSource = register_module("from_source", Linear(hidden, kDifferences));
    else
        prior = register_parameter("prior", at::zeros({longest + 1}));
}

at::Tensor LengthPredictorImpl::logits(const at::Tensor& maybeMean, std::int64_t rows) {
    return prior.defined() ? prior.unsqueeze(0).expand({rows, prior.size(0)}) : fromSource(maybeMean);
}

std::int64_t LengthPredictorImpl::classOf(std::int32_t length, std::int32_t sourceLength) const {
    if (prior.defined()) return std::min<std::int64_t>(length, longest_);
    return std::clamp<std::int64_t>(length - sourceLength + kDifferences / 2, 0, kDifferences - 1);
}

std::int32_t LengthPredictorImpl::lengthOf(std::int64_t lengthClass, std::int32_t sourceLength) const {
    const std::int64_t length = prior.defined() ? lengthClass : lengthClass - kDifferences / 2 + sourceLength;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(length, kShortest, longest_));
}

std::vector<double> LengthPredictorImpl::logProbabilities(std::span<const float> logits,
                                                          std::int32_t sourceLength,
                                                          std::int32_t shortest) const {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    std::vector<double> weights(static_cast<std::size_t>(longest_) + 1, 0);
    const double greatest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (std::size_t c = 0; c < logits.size(); ++c) {
        const std::int32_t length = lengthOf(static_cast<std::int64_t>(c), sourceLength);
        if (length < shortest) continue;
        const double weight = std::exp(static_cast<double>(logits[c]) - greatest);
        weights[static_cast<std::size_t>(length)] += weight;
        sum += weight;
    }
    for (double& weight : weights) weight = weight > 0 ? std::log(weight / sum) : kNever;
    return weights;
}

}  // namespace kurve::models::mdlm
