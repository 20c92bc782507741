#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/config/scalar_spec.h"
#include "core/interop/report.h"
#include "core/store/run_reader.h"
#include "core/store/run_style.h"

namespace kurve::interop::detail {

/// One run of a report, read.
struct ReportRun {
    store::RunSummary summary;
    std::map<std::string, std::string> values;  ///< table run
    std::map<std::string, std::string> config;  ///< every setting; empty if not recorded
    std::map<std::string, store::Series> curves;
    std::vector<std::pair<double, double>> pauses;  ///< store::pausesOf()
    std::vector<store::SampleRow> samples;
};
Result<ReportRun> readReportRun(const store::Project& project, store::RunSummary summary,
                                const ReportOptions& options);

/// At most about `limit` of the points, none interpolated: of each stretch its first, lowest, highest and
/// last, and the first that is not finite.
[[nodiscard]] store::Series thinned(const store::Series& series, std::size_t limit);

/// What every training logs, and what the runs say of their families' own.
[[nodiscard]] std::vector<ScalarSpec> scalarsOf(const std::vector<ReportRun>& runs);
/// Title, unit, direction of a metric; also of a saved score, "eval_test_bleu".
[[nodiscard]] nlohmann::json metricJson(const std::string& id, const std::vector<ScalarSpec>& scalars);
[[nodiscard]] nlohmann::json styleJson(const store::RunStyle& style);
/// What report.js draws of a run.
[[nodiscard]] nlohmann::json runJson(const ReportRun& run, std::size_t curvePoints);
/// Ids of the runs' curves (of the requested ones, if any are) with title, unit and direction: validation
/// first, then losses and scores.
[[nodiscard]] nlohmann::json metricsJson(const std::vector<ReportRun>& runs,
                                         const std::vector<std::string>& requested);
/// Scores of the last outputs for the fixed prompts, with intervals: [{metric, title, source, values}].
[[nodiscard]] nlohmann::json promptScoresJson(const std::vector<ReportRun>& runs);
/// Scores that `kurve eval --json` printed; documents of other runs are an error.
Result<nlohmann::json> evaluationScoresJson(const std::vector<ReportRun>& runs,
                                            const std::vector<std::filesystem::path>& files);

}  // namespace kurve::interop::detail
