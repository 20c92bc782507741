#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "views/common/background.h"
#include "views/common/panel.h"
#include "views/similarity/similarity_overview.h"

namespace kurve::views {

/// What the states of one run's recording come down to, step by step.
struct RecordingSummary {
    QString run, name;
    bool otherPrompt = false;  ///< the run has recorded other prompts only
    QStringList blocks, titles;
    Overview numbers;     ///< by layer, without pictures
    trace::Trace levels;  ///< its steps and their noise levels, nothing else of it
    /// The layer that holds this block, else the last one with states; -1 without any.
    [[nodiscard]] int layerLike(const QString& block) const;
};
struct RecordingWish {
    struct Run {
        QString run, name;
        std::vector<std::filesystem::path> files;  ///< newest first
        friend bool operator==(const Run&, const Run&) = default;
    };
    std::vector<Run> runs;
    std::string prompt;
    OverviewWish how;
};
/// Of each run the newest recording of the prompt, else its newest of any; runs without a readable one are
/// left out. For a worker.
[[nodiscard]] std::vector<RecordingSummary> recordingSummaries(const RecordingWish& wish,
                                                               const CancelToken& cancel);

/// The summaries of the selected runs, but for the one whose recording is shown; followed while it is on.
/// GUI thread.
class RunSummaries : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostRuns = 8;
    RunSummaries(const StudioContext& context, QObject* parent);
    ~RunSummaries() override;
    void setOn(bool on);
    void setHow(const OverviewWish& how);
    [[nodiscard]] const std::vector<RecordingSummary>& all() const { return all_; }

Q_SIGNALS:
    void changed();

private:
    void watch();
    void refresh();

    StudioContext context_;
    bool on_ = false;
    QStringList watched_;
    RecordingWish asked_;
    OverviewWish how_;
    std::vector<RecordingSummary> all_;
    CancelToken cancel_;
    Background work_;
};

}  // namespace kurve::views
