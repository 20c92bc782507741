#pragma once

#include <QJsonObject>
#include <QTimer>
#include <nlohmann/json.hpp>
#include <vector>

#include "views/common/services/draft_form.h"
#include "views/common/shell/panel.h"
#include "views/launch/draft/draft.h"
#include "views/launch/draft/experiment_watch.h"

namespace kurve::views {

/// What can be done with the draft of the next training: it follows the project's experiments, takes settings
/// of runs and of other views, is trained, queued, measured and estimated. Knows no widget: panels show it.
/// GUI thread.
class DraftActions : public QObject, public DraftForm {
    Q_OBJECT
public:
    /// Offers itself as DraftActions and DraftForm. `draft` and what `context` names outlive this.
    DraftActions(const StudioContext& context, Draft& draft);
    ~DraftActions() override {  // nobody could end them, nor hear of them
        if (endMeasuring_) endMeasuring_();
        if (endEstimate_) endEstimate_();
    }
    [[nodiscard]] Draft& draft() { return draft_; }
    /// The files of the project's experiments.
    [[nodiscard]] const QStringList& experiments() const { return experiments_.files(); }
    /// Lists them at once, for file systems without change notifications.
    void updateExperiments() { experiments_.update(); }
    /// Reads the experiment's file again; changes of the draft are kept.
    void reloadExperiment();
    /// Writes a first experiment for a project without one, and takes it.
    void createExperiment();
    /// The draft is this file, which was just saved, without changes.
    void takeExperiment(const QString& file);
    void restorePrevious();

    std::function<void()> useSettings(const QMap<QString, QString>& values) override;
    void useSchedule(const QString& schedule, const QMap<QString, QString>& parameters) override;
    void adoptRun(const QString& run) override;

    void train();
    void queue();
    /// Time and memory of a dry run; again: cancels it.
    void measure();
    /// Estimates the memory, once the draft has not changed for a moment.
    void estimateSoon();
    /// The engine's description has arrived or failed.
    void engineChanged();

    /// For the next session; with a draft whose experiment is missing.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void said(const QString& text);
    /// The draft is to be shown, with the focus in this field; empty: nowhere.
    void shown(const QString& field);
    void fileWanted();          ///< as a file, to be saved as an experiment
    void refused();             ///< it has errors and cannot start
    void experimentsChanged();  ///< the list, or the content of one
    /// `kurve train --dry-run --json` of the first runs; empty = in progress.
    void measured(const std::vector<nlohmann::json>& dryRuns);
    void notMeasured(const QString& why);  ///< empty: cancelled
    /// `kurve train --estimate --json` of the run that takes most; null: unknown, and `why`.
    void estimated(const nlohmann::json& estimate, const QString& why);

private:
    using Request = void (DraftActions::*)();
    void connectDraft();
    void addCommands();
    void listExperiments();
    void reportTaken(const QStringList& carried, const QStringList& dropped);
    [[nodiscard]] QString fileOf(const QJsonObject& saved) const;
    void writeSettings(const QMap<QString, QString>& values);
    void show(const QStringList& changed);
    /// The engine's description, without which there is no draft, is on its way.
    [[nodiscard]] bool isLoading() const;
    /// The request waits for it. True: it does.
    bool waits(Request request);
    void runWaiting();  ///< the request that waited
    /// Whether the draft is valid; else with a message.
    [[nodiscard]] bool isReady();
    /// Whether the draft may start: it fits into memory, or was started twice. Else a message says why not.
    [[nodiscard]] bool fits();
    [[nodiscard]] QStringList localDevice() const;
    [[nodiscard]] QString draftText() const;
    void estimate();
    void estimateNext(std::vector<QStringList> runs, nlohmann::json most);
    [[nodiscard]] bool stillDrafted(const std::vector<QStringList>& runs) const;
    void measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known);

    StudioContext context_;
    Draft& draft_;
    ExperimentWatch experiments_;
    QJsonObject missing_;                               ///< a saved draft whose experiment is missing
    std::function<void()> endMeasuring_, endEstimate_;  ///< empty: none is under way
    QTimer settle_;
    QString estimated_;  ///< draft that was estimated last
    QString shortage_;   ///< why memory is insufficient for it; empty: it is not, or unknown
    QString refused_;    ///< draft whose start was refused last, for lack of memory
    Request waiting_ = nullptr;
};

/// Why memory is insufficient for what `kurve train --estimate --json` is about; empty: it is not, or
/// unknown.
[[nodiscard]] QString memoryShortage(const nlohmann::json& estimate);

}  // namespace kurve::views
