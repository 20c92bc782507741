#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "views/common/data/background.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/states/similarity_overview.h"

namespace kurve::views {

/// State summary per step of one run's trace.
struct TraceSummary {
    QString run, name;
    bool otherPrompt = false;  ///< the run has traces of other prompts only
    QString prompt;            ///< of the trace
    QStringList blocks, titles;
    Overview numbers;     ///< by layer, without pictures
    trace::Trace levels;  ///< its steps and their noise levels, nothing else
    /// The layer that holds this block, else the last one with states; -1 without any.
    [[nodiscard]] int matchingLayer(const QString& block) const;
};
/// Of a trace whose overview is known already.
[[nodiscard]] TraceSummary traceSummary(const inspect::StateSource& source, const QString& run,
                                        Overview numbers);
struct TraceSummaryRequest {
    struct Run {
        QString run, name;
        std::vector<std::filesystem::path> files;  ///< newest first
        friend bool operator==(const Run&, const Run&) = default;
    };
    std::vector<Run> runs;
    std::string prompt;  ///< empty: that of the first run's newest trace
    OverviewRequest overview;
};
/// Of each run the newest trace of the prompt, else its newest of any; runs without a readable one, or
/// one without states, are left out. For a worker.
[[nodiscard]] std::vector<TraceSummary> traceSummaries(const TraceSummaryRequest& request,
                                                       const CancelToken& cancel);

/// The summaries of runs' traces of the prompt that is shown, followed while it is on. GUI thread.
class RunSummaries : public QObject {
    Q_OBJECT
public:
    /// The selected runs but for the one whose trace is shown, or those that setRuns() names.
    enum class Follow : unsigned char { OtherRuns, Given };
    static constexpr int kMaxRuns = 8;
    RunSummaries(const StudioContext& context, Follow follow, QObject* parent);
    void setOn(bool on);
    void setRuns(const QStringList& runs);
    [[nodiscard]] bool isReading() const { return reading_; }
    void setRequest(const OverviewRequest& overview);
    [[nodiscard]] const std::vector<TraceSummary>& all() const { return all_; }

Q_SIGNALS:
    void changed();

private:
    void watch();
    void refresh();

    StudioContext context_;
    Follow follow_;
    QStringList given_;
    bool on_ = false, reading_ = false;
    WatchedRuns watched_{context_.catalog};
    TraceSummaryRequest request_;
    OverviewRequest overview_;
    std::vector<TraceSummary> all_;
    Background work_{JobKind::Later};
};

}  // namespace kurve::views
