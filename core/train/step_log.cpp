#include "core/train/step_log.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace kurve::train {
namespace {

constexpr double kLowest = -16, kHighest = 8;
constexpr int kBins = 24;
constexpr double kGradientDecay = 0.7;  // from one evaluation to the next

std::size_t binOf(double logSnr) {
    const double bin = std::floor((logSnr - kLowest) / (kHighest - kLowest) * kBins);
    return static_cast<std::size_t>(std::clamp(bin, 0.0, kBins - 1.0));
}

// JSON has no numbers that are not finite; on a GPU such a step is found a while after it was added.
nlohmann::json exactly(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(fmt::format("{}", value));
}

double exactNumber(const nlohmann::json& j) {
    if (!j.is_string()) return j.get<double>();
    const double infinity = std::numeric_limits<double>::infinity();
    return j == "inf" ? infinity : j == "-inf" ? -infinity : std::nan("");
}

}  // namespace

NoiseHistogram::NoiseHistogram()
    : sums_(kBins, 0.0), counts_(kBins, 0.0), squares_(kBins, 0.0), squareCounts_(kBins, 0.0) {}

void NoiseHistogram::add(const at::Tensor& logSnr, const at::Tensor& rowLoss) {
    const auto levels = logSnr.to(at::kCPU, at::kDouble).contiguous();
    const auto losses = rowLoss.to(at::kCPU, at::kDouble).contiguous();
    for (std::int64_t i = 0; i < levels.numel(); ++i) {
        const double level = levels.data_ptr<double>()[i], loss = losses.data_ptr<double>()[i];
        if (std::isnan(level) || !std::isfinite(loss)) continue;
        sums_[binOf(level)] += loss;
        counts_[binOf(level)] += 1;
    }
}

void NoiseHistogram::setProbabilities(const at::Tensor& logSnr, const at::Tensor& probability) {
    const auto levels = logSnr.to(at::kCPU, at::kDouble).contiguous(),
               shares = probability.to(at::kCPU, at::kDouble).contiguous();
    probabilities_.assign(kBins, 0);
    for (std::int64_t t = 0; t < levels.numel(); ++t)
        probabilities_[binOf(levels.data_ptr<double>()[t])] += shares.data_ptr<double>()[t];
}

void NoiseHistogram::addGradient(double logSnr, double square) {
    if (std::isnan(logSnr) || !std::isfinite(square)) return;
    squares_[binOf(logSnr)] += square;
    squareCounts_[binOf(logSnr)] += 1;
}

bool NoiseHistogram::empty() const {
    return std::all_of(counts_.begin(), counts_.end(), [](double count) { return count == 0; });
}

nlohmann::json NoiseHistogram::take() {
    using nlohmann::json;
    const auto means = [](const std::vector<double>& sums, const std::vector<double>& counts, auto shape) {
        json all = json::array();
        for (std::size_t i = 0; i < sums.size(); ++i)
            all.push_back(counts[i] > 0 ? json(shape(sums[i] / counts[i])) : json());
        return all;
    };
    json edges = json::array();
    for (int i = 0; i <= kBins; ++i) edges.push_back(kLowest + (kHighest - kLowest) * i / kBins);
    json bins{{"edges", edges},
              {"values", means(sums_, counts_, [](double mean) { return mean; })},
              {"weights", counts_}};
    const bool measured =
        std::any_of(squareCounts_.begin(), squareCounts_.end(), [](double n) { return n > 0; });
    if (measured) {
        bins["gradient"] = means(squares_, squareCounts_, [](double mean) { return std::sqrt(mean); });
        bins["gradient_rows"] = squareCounts_;
    }
    if (!probabilities_.empty()) bins["probability"] = std::exchange(probabilities_, {});
    sums_.assign(kBins, 0);
    counts_.assign(kBins, 0);
    for (auto* sums : {&squares_, &squareCounts_})
        for (double& value : *sums) value *= kGradientDecay;
    return bins;
}

nlohmann::json NoiseHistogram::toJson() const {
    return {{"sums", sums_}, {"counts", counts_}, {"squares", squares_}, {"square_counts", squareCounts_}};
}

NoiseHistogram NoiseHistogram::fromJson(const nlohmann::json& j) {
    const auto bins = [&](const char* key) {
        auto values = j.at(key).get<std::vector<double>>();
        values.resize(kBins);  // whatever a file says
        return values;
    };
    NoiseHistogram noise;
    noise.sums_ = bins("sums");
    noise.counts_ = bins("counts");
    noise.squares_ = bins("squares");
    noise.squareCounts_ = bins("square_counts");
    return noise;
}

namespace {

void addEach(std::vector<double>& sums, const std::vector<double>& values) {
    sums.resize(std::max(sums.size(), values.size()));
    std::transform(values.begin(), values.end(), sums.begin(), sums.begin(), std::plus<>());
}

}  // namespace

void StepLog::add(const StepReport& report, double waitSeconds, double seconds) {
    const auto sum = [&](const std::string& name, const at::Tensor& value) {
        at::Tensor& total = sums_[name];
        total = total.defined() ? total.to(value.device()) + value : value.to(at::kDouble);
    };
    sum("loss", report.loss);
    sum("grad_norm", report.gradientNorm);
    for (const auto& [name, value] : report.parts) sum(name, value);
    rows_.insert(rows_.end(), report.noiseLoss.begin(), report.noiseLoss.end());
    if (report.updateRatio.defined()) updateRatio_ = report.updateRatio;
    ++steps_;
    tokens_ += report.targetTokens;
    seconds_ += seconds;
    wait_ += waitSeconds;
    addEach(times_.computing, report.times.computing);
    addEach(times_.waiting, report.times.waiting);
    learningRate_ = report.learningRate;
}

std::map<std::string, double> StepLog::take() {
    std::map<std::string, double> values;
    if (steps_ == 0) return values;
    for (const auto& [name, total] : sums_) values[name] = total.item<double>() / static_cast<double>(steps_);
    if (updateRatio_.defined()) values["update_ratio"] = updateRatio_.item<double>();
    values["lr"] = learningRate_;
    if (seconds_ > 0) {
        values["tokens_per_second"] = static_cast<double>(tokens_) / seconds_;
        values["data_wait"] = 100 * wait_ / seconds_;
        for (std::size_t r = 0; r < times_.computing.size(); ++r) {
            values[fmt::format("rank_{}_computing", r)] = 100 * times_.computing[r] / seconds_;
            values[fmt::format("rank_{}_waiting", r)] = 100 * times_.waiting[r] / seconds_;
        }
    }
    NoiseHistogram histogram = std::move(noise());
    *this = StepLog();
    noise_ = std::move(histogram);
    return values;
}

NoiseHistogram& StepLog::noise() {
    for (const auto& [levels, losses] : rows_) noise_.add(levels, losses);
    rows_.clear();
    return noise_;
}

nlohmann::json StepLog::toJson() const {
    nlohmann::json sums = nlohmann::json::object();
    for (const auto& [name, total] : sums_) sums[name] = exactly(total.item<double>());
    return {{"steps", steps_}, {"tokens", tokens_},       {"seconds", seconds_},
            {"wait", wait_},   {"sums", std::move(sums)}, {"noise", StepLog(*this).noise().toJson()}};
}

StepLog StepLog::fromJson(const nlohmann::json& j) {
    StepLog log;
    log.steps_ = j.at("steps");
    log.tokens_ = j.at("tokens");
    log.seconds_ = j.at("seconds");
    log.wait_ = j.at("wait");
    for (const auto& [name, sum] : j.at("sums").items())
        log.sums_[name] = at::scalar_tensor(exactNumber(sum), at::kDouble);
    log.noise_ = NoiseHistogram::fromJson(j.at("noise"));
    return log;
}

}  // namespace kurve::train
