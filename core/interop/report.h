#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/base/result.h"
#include "core/store/project.h"

namespace kurve::interop {

/// Parts of a report in their usual order: runs values groups scores fronts curves settings prompts studio.
[[nodiscard]] const std::vector<std::string>& reportSections();

/// A plane of accuracy against diversity, by metric ids.
struct ReportPlane {
    std::string quality, diversity;
};

/// The view of a comparison, for its report: how curves are drawn, which runs are groups, the values of the
/// table of groups. The reader of the report can change how curves are drawn.
struct ReportView {
    std::string metric;                      ///< its chart comes first; empty: in their usual order
    std::string axis = "step";               ///< step tokens epoch examples flops seconds
    std::string x = "linear", y = "linear";  ///< scales, y of `metric`'s chart: linear log symlog
    /// Manual limits of an axis; without a value those of the data.
    struct Limits {
        std::optional<double> from, to;
    };
    Limits xLimits, yLimits;          ///< of `axis`, and of y of `metric`'s chart
    std::string smoothing = "ema";    ///< ema median none
    double strength = 0.95;           ///< as series::Smoothing has it
    std::vector<std::string> hidden;  ///< ids of runs that are listed, but not drawn
    struct Group {
        std::string title;
        std::vector<std::string> runs;  ///< ids; those that the report does not have do not count
    };
    std::string groupedBy;      ///< its label; unused without groups
    std::vector<Group> groups;  ///< empty: each run for itself
    bool range = false;         ///< the band about a mean is lowest to highest instead of the 95 % CI
    /// A column of the table of groups: "last:loss", "low:loss" or "high:valid_bleu" and its title.
    struct Value {
        std::string id, title;
    };
    std::vector<Value> values;
    std::optional<std::int64_t> sampleStep;  ///< of the fixed prompts' outputs; without it the last
    std::vector<std::string> notes;          ///< what a report cannot draw as the studio does
    std::string diffAgainst;                 ///< word diff against this run's outputs; empty: the reference
};

struct ReportOptions {
    std::string title;                  ///< empty: made of the runs' names
    std::vector<std::string> sections;  ///< ids of reportSections(); empty: all
    std::vector<std::string> metrics;   ///< only these curves and values; empty: all
    /// Documents of `kurve eval --json`: their scores and intervals stand before those of the fixed prompts.
    /// They go before what `kurve eval --save` left in the runs' folders.
    std::vector<std::filesystem::path> evaluations;
    std::vector<ReportPlane> planes;   ///< of the runs' sweeps; empty: the one that most points have
    std::optional<ReportView> view;    ///< without it every run is drawn over steps
    std::size_t curvePoints = 20'000;  ///< longer curves keep first, lowest, highest and last of each stretch
    CancelToken cancel;
    std::function<void(const std::string&)> notify = {};  ///< notices about the index
};

/// A comparison of runs (ids in the project; the first is the baseline) as one HTML file that
/// needs no network and no other file: facts, last values, scores with intervals, curves, settings that
/// differ, fronts of accuracy and diversity, fixed prompts with marked words. Reads only; any thread, but not
/// the GUI's. Errors: run.missing (nearest suggested), export.no_metric, report.evaluation (no such
/// document), cancelled, store.*.
Result<std::string> reportHtml(const store::Project& project, std::span<const std::string> runs,
                               const ReportOptions& options = {});
/// The same into a file, which is replaced. Errors: as above, io.write.
Status writeReport(const store::Project& project, std::span<const std::string> runs,
                   const std::filesystem::path& file, const ReportOptions& options = {});
/// Whether a sweep of the runs has both metrics of each plane; a report leaves out those that none has. Reads
/// files. Errors: export.plane names what the runs were swept with.
Status checkPlanes(const store::Project& project, std::span<const std::string> runs,
                   std::span<const ReportPlane> planes);

}  // namespace kurve::interop
