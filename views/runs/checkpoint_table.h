#pragma once

#include <QStringList>
#include <QWidget>
#include <filesystem>
#include <nlohmann/json.hpp>

class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;
class QTreeWidgetItem;

namespace kurve::views {

class ForkForm;
struct RunData;

/// An action requested for a run or one of its checkpoints.
struct RunRequest {
    enum class Kind : unsigned char {
        Resume,     ///< from `checkpoint` (empty: the last one)
        Extend,     ///< train until `steps` steps in all, beyond the plan
        Reproduce,  ///< train it again with the same plan, seeds and threads
        Distil,     ///< a training text from its outputs
        Fork,       ///< a new run from `checkpoint` with `settings` (key=value), trained at once
        Sample,     ///< generate with `checkpoint`
        Pin,        ///< never prune `checkpoint`
        Unpin,
        Retention,  ///< report which checkpoints keepLast and keepBest keep, and what pruning frees
        Prune,      ///< remove the others
        Fetch,      ///< `checkpoint` (empty: all) from the machine that trains the run
        Follow,     ///< connect again to that machine
    };
    Kind kind = Kind::Resume;
    QString run, checkpoint;  ///< checkpoint: its folder's name, "step-00000400"
    QStringList settings;
    qint64 steps = 0;
    int keepLast = 0, keepBest = 0;
};

/// The checkpoints of a run: metric, size, retention reasons, and what pruning would free; each can be
/// sampled, resumed, forked and pinned.
class CheckpointTable : public QWidget {
    Q_OBJECT
public:
    explicit CheckpointTable(QWidget* parent = nullptr);
    /// Where the run lies; before setRun().
    void setFolder(const std::filesystem::path& runFolder) { folder_ = runFolder; }
    /// `data` may be null while it is being read.
    void setRun(const QString& id, const RunData* data, bool live);
    /// Those of the run, by name, whose weights are on another machine only; before setRun(). An empty
    /// `machine`: it was trained on this one.
    void setAway(const QString& machine, const QStringList& checkpoints);
    [[nodiscard]] ForkForm& fork() const { return *form_; }
    /// Focuses the button that forks the selected checkpoint.
    void focusFork();
    /// Focuses the prune button, or the retention settings while it is disabled.
    void focusPruning();
    /// Pins or unpins the selected checkpoint. False if none is selected.
    bool pinSelected();
    /// The answer of `kurve checkpoints --json`; ignored if it is about another run.
    void setRetention(const nlohmann::json& answer);
    void setProblem(const QString& text);
    /// Selects an intact checkpoint, shows why, and focuses the button that resumes from it.
    void offerIntact(qint64 step, const QString& why);

Q_SIGNALS:
    void requested(const kurve::views::RunRequest& request);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildRowActions();
    QWidget* buildPruning();
    void send(RunRequest::Kind kind);
    void requestRetention();
    void clearRetention();
    static void bring(QWidget* control);
    void updateActions();
    void showStart();

    [[nodiscard]] bool isAway(const QTreeWidgetItem& row) const;

    std::filesystem::path folder_;
    QString run_, shown_, retentionOf_, machine_;
    QStringList away_;
    bool live_ = false, filling_ = false;
    bool prunable_ = false;  ///< the run's rules leave some of them to prune
    QTreeWidget* rows_;
    QPushButton *resume_, *fork_, *sample_, *pin_, *fetch_, *prune_;
    ForkForm* form_;
    QSpinBox *keepLast_, *keepBest_;
    QLabel* about_;
};

}  // namespace kurve::views
