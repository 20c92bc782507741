#include "core/train/tensor_histograms.h"

#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace kurve::train {
namespace {

constexpr double kSmallestPower = -8, kLargestPower = 2;
constexpr int kMagnitudeBins = 40;

nlohmann::json magnitudeEdges() {
    nlohmann::json all = nlohmann::json::array();
    for (int i = 0; i <= kMagnitudeBins; ++i)
        all.push_back(kSmallestPower + (kLargestPower - kSmallestPower) * i / kMagnitudeBins);
    return all;
}

/// A stretch of the block and how much of it is parameters: what lies between them is zero and falls in no
/// bin.
struct Stretch {
    std::int64_t begin = 0, end = 0, count = 0;
};

at::Tensor binsOf(const at::Tensor& values) {
    return at::histc(values.abs().log10_(), kMagnitudeBins, kSmallestPower, kLargestPower);
}

nlohmann::json histogramOf(const at::Tensor& counts, std::int64_t all) {
    const at::Tensor host = counts.to(at::kCPU, at::kDouble).contiguous();
    nlohmann::json values = nlohmann::json::array(), weights = nlohmann::json::array();
    for (int i = 0; i < kMagnitudeBins; ++i) {
        const double count = host.data_ptr<double>()[i];
        weights.push_back(static_cast<std::int64_t>(count));
        values.push_back(count / static_cast<double>(std::max<std::int64_t>(1, all)));
    }
    return {{"edges", magnitudeEdges()}, {"values", values}, {"weights", weights}};
}

}  // namespace

std::string layerGroup(const std::string& parameter) {
    const std::vector<std::string> parts = split(parameter, '.');
    const auto isNumber = [](const std::string& part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    };
    const auto number = std::find_if(parts.begin(), parts.end(), isNumber);
    if (number == parts.end()) return parts.front();
    return join(std::vector<std::string>(parts.begin(), number + 1), ".");
}

std::map<std::string, nlohmann::json> magnitudeHistograms(const FlatParameters& parameters,
                                                          const at::Tensor& flat) {
    std::map<std::string, std::vector<Stretch>> groups;
    for (const auto& entry : parameters.entries()) {
        auto& stretches = groups[layerGroup(entry.name)];
        const std::int64_t end = entry.offset + entry.count;
        // Neighbours become one: fewer, larger operations.
        if (!stretches.empty() && entry.offset - stretches.back().end < 64) {
            stretches.back().end = end;
            stretches.back().count += entry.count;
        } else {
            stretches.push_back({entry.offset, end, entry.count});
        }
    }
    const at::NoGradGuard noGrad;
    std::map<std::string, nlohmann::json> histograms;
    for (const auto& [group, stretches] : groups) {
        at::Tensor counts;
        std::int64_t all = 0;
        for (const Stretch& stretch : stretches) {
            const at::Tensor here = binsOf(flat.narrow(0, stretch.begin, stretch.end - stretch.begin));
            counts = counts.defined() ? counts + here : here;
            all += stretch.count;
        }
        histograms[group] = histogramOf(counts, all);
    }
    return histograms;
}

std::map<std::string, nlohmann::json> magnitudeHistograms(const Activations& activations) {
    const at::NoGradGuard noGrad;
    std::map<std::string, nlohmann::json> histograms;
    for (const auto& [group, activation] : activations) {
        const at::Tensor rows = activation.values.reshape({-1, activation.values.size(-1)});
        const at::Tensor real =
            activation.maybeMask.defined() ? rows.index({activation.maybeMask.reshape({-1}) == 0}) : rows;
        histograms[group] = histogramOf(binsOf(real), real.numel());
    }
    return histograms;
}

void recordHistograms(const Trainer& trainer, store::RunWriter& writer) {
    const std::pair<const char*, const at::Tensor*> kinds[] = {{"weights", &trainer.parameters().values()},
                                                               {"gradients", &trainer.gradients()}};
    for (const auto& [kind, flat] : kinds)
        for (const auto& [group, bins] : magnitudeHistograms(trainer.parameters(), *flat))
            writer.histogram(std::string(kind) + "/" + group, trainer.steps(), bins);
    for (const auto& [group, bins] : magnitudeHistograms(trainer.activations()))
        writer.histogram("activations/" + group, trainer.steps(), bins);
}

}  // namespace kurve::train
