#pragma once

#include <QString>
#include <QVariant>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/project.h"
#include "views/common/data/engine_info.h"

namespace kurve::views {

/// A column of the run list beside the fixed ones: the last value of a metric, its difference from the
/// baseline, the lowest or highest value of its curve with the step, or a setting.
struct RunColumn {
    enum class Kind : unsigned char { Metric, Delta, Lowest, Highest, Setting };
    Kind kind = Kind::Metric;
    std::string key;

    /// For the chooser and the session: "metric:valid_bleu", "delta:valid_bleu", "max:valid_bleu",
    /// "setting:train.lr".
    [[nodiscard]] QString id() const;
    [[nodiscard]] static std::optional<RunColumn> fromId(const QString& id);
    [[nodiscard]] QString title() const;
    friend bool operator==(const RunColumn&, const RunColumn&) = default;
};

/// The values of such columns. A cell is computed when it is shown: the time does not depend on the number of
/// metrics and settings. GUI thread.
class RunColumnValues {
public:
    void setEngine(const EngineInfo* engine);  ///< null: directions and defaults are unknown
    /// Deltas are relative to it; null: no deltas.
    void setBaseline(const store::RunSummary* maybeRun);
    /// Empty: none.
    [[nodiscard]] std::string baseline() const { return baseline_ ? baseline_->id : std::string(); }

    /// What a run has of a setting, changed or not.
    [[nodiscard]] std::optional<std::string> setting(const store::RunSummary& run,
                                                     const std::string& key) const;
    [[nodiscard]] QString text(const store::RunSummary& run, const RunColumn& column) const;
    /// A double or a text; invalid where the run has no value.
    [[nodiscard]] QVariant sortKey(const store::RunSummary& run, const RunColumn& column) const;
    /// Invalid where the colour has no meaning.
    [[nodiscard]] QVariant color(const store::RunSummary& run, const RunColumn& column) const;
    /// The meaning of the colour: "better", "worse", "default"; empty otherwise.
    [[nodiscard]] QString remark(const store::RunSummary& run, const RunColumn& column) const;
    [[nodiscard]] QString headerTip(const RunColumn& column) const;

private:
    /// Relative to the baseline: 1 better, -1 worse, 0 undefined.
    [[nodiscard]] int comparison(const store::RunSummary& run, const std::string& metric) const;
    [[nodiscard]] std::optional<double> number(const store::RunSummary& run, const RunColumn& column) const;
    [[nodiscard]] EngineInfo::MetricText metric(const std::string& key) const;

    const EngineInfo* engine_ = nullptr;
    std::optional<store::RunSummary> baseline_;
    mutable std::unordered_map<std::string, std::optional<std::string>> defaults_;
};

/// The metrics and settings that occur in the runs, collected incrementally.
class RunKeys {
public:
    void add(const store::RunSummary& run);
    [[nodiscard]] const std::set<std::string>& metrics() const { return metrics_; }
    [[nodiscard]] const std::set<std::string>& curves() const { return curves_; }  ///< of the metrics
    [[nodiscard]] const std::set<std::string>& settings() const { return settings_; }

private:
    std::set<std::string> metrics_, curves_, settings_;
};

/// The columns until some are chosen: the machine, if a run has another one, and a metric (the best BLEU,
/// else the lowest loss, else the first metric).
[[nodiscard]] std::vector<RunColumn> defaultColumns(const RunKeys& keys);

}  // namespace kurve::views
