#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/train/trainer.h"

namespace kurve::train {

/// Mean loss of rows by the noise they were trained at: bins of one unit of log-SNR.
class NoiseHistogram {
public:
    NoiseHistogram();
    void add(const at::Tensor& logSnr,
             const at::Tensor& rowLoss);  ///< [B] each; values outside go to the end bins
    /// [T] each: how likely each level is drawn now.
    void setProbabilities(const at::Tensor& logSnr, const at::Tensor& probability);
    /// |gradient|^2 of one row alone. Earlier evaluations count less and less.
    void addGradient(double logSnr, double square);
    /// {"edges","values","weights"}: value = mean loss (null without rows), weight = rows; where
    /// gradients were computed also "gradient" (root mean square of a row's gradient norm, or null) and
    /// "gradient_rows"; where they were set "probability", of the bin. The losses and those start anew.
    [[nodiscard]] nlohmann::json take();
    [[nodiscard]] bool empty() const;
    [[nodiscard]] nlohmann::json toJson() const;
    static NoiseHistogram fromJson(const nlohmann::json& j);  ///< throws json::exception if it is none

private:
    std::vector<double> sums_, counts_, squares_, squareCounts_, probabilities_;
};

/// Accumulates the steps between two logged points. Sums stay on the device until take(). Part of a
/// checkpoint, so that the first point after a resume is the one that would have been there without a stop.
class StepLog {
public:
    void add(const StepReport& report, double waitSeconds, double seconds);
    /// Means of the loss and its parts and of the gradient norm, rates, the last learning rate and update
    /// ratio; of several ranks each one's share of the time (rank_0_computing, rank_0_waiting, per cent).
    /// Starts anew. Syncs.
    [[nodiscard]] std::map<std::string, double> take();
    [[nodiscard]] bool empty() const { return steps_ == 0; }
    /// With the rows of all steps so far. Syncs.
    [[nodiscard]] NoiseHistogram& noise();
    /// Whole, to the bit. Syncs.
    [[nodiscard]] nlohmann::json toJson() const;
    static StepLog fromJson(const nlohmann::json& j);  ///< throws json::exception if it is none

private:
    std::map<std::string, at::Tensor> sums_;  // f64
    at::Tensor updateRatio_;                  // of the step that ends the window
    std::vector<std::pair<at::Tensor, at::Tensor>> rows_;
    NoiseHistogram noise_;
    RankTimes times_;  // sums; not part of a checkpoint, for clocks repeat nothing
    std::int64_t steps_ = 0, tokens_ = 0;
    double seconds_ = 0, wait_ = 0, learningRate_ = 0;  // the last is that of the newest step
};

}  // namespace kurve::train
