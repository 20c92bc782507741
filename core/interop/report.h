#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/base/result.h"
#include "core/store/project.h"

namespace kurve::interop {

/// Parts of a report in their usual order: runs values scores fronts curves settings prompts studio.
[[nodiscard]] const std::vector<std::string>& reportSections();

/// A plane of accuracy against diversity, by metric ids.
struct ReportPlane {
    std::string quality, diversity;
};

struct ReportOptions {
    std::string title;                  ///< empty: made of the runs' names
    std::vector<std::string> sections;  ///< ids of reportSections(); empty: all
    std::vector<std::string> metrics;   ///< only these curves and values; empty: all
    /// Documents of `kurve eval --json`: their scores and intervals stand before those of the fixed prompts.
    /// They go before what `kurve eval --save` left in the runs' folders.
    std::vector<std::filesystem::path> evaluations;
    std::vector<ReportPlane> planes;   ///< of the runs' sweeps; empty: the one that most points have
    std::size_t curvePoints = 20'000;  ///< longer curves keep first, lowest, highest and last of each stretch
    CancelToken cancel;
};

/// A comparison of runs (ids in the project; the others are measured against the first) as one HTML file that
/// needs no network and no other file: facts, last values, scores with intervals, curves, settings that
/// differ, fronts of accuracy and diversity, fixed prompts with marked words. Reads only; any thread, but not
/// the GUI's. Errors: run.missing (nearest suggested), export.no_metric, report.evaluation (no such
/// document), cancelled, store.*.
Result<std::string> reportHtml(const store::Project& project, std::span<const std::string> runs,
                               const ReportOptions& options = {});
/// The same into a file, which is replaced. Errors: as above, io.write.
Status writeReport(const store::Project& project, std::span<const std::string> runs,
                   const std::filesystem::path& file, const ReportOptions& options = {});

}  // namespace kurve::interop
