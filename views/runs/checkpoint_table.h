#pragma once

#include <QStringList>
#include <QWidget>
#include <nlohmann/json.hpp>

class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace kurve::views {

class ForkForm;
struct RunData;

/// What a person wants done with a run or one of its checkpoints.
struct RunWish {
    enum class Kind : unsigned char {
        Resume,  ///< go on from `checkpoint` (empty: the last one)
        Extend,  ///< go on until `steps` steps are done in all, more than planned
        Again,   ///< train it again exactly
        Fork,    ///< a new run from `checkpoint` with `settings` (key=value), trained at once
        Sample,  ///< generate with `checkpoint`
        Pin,     ///< keep `checkpoint` whatever comes
        Unpin,   ///<
        Judge,   ///< say what keepLast and keepBest would keep and free
        Prune,   ///< and remove the rest
    };
    Kind kind = Kind::Resume;
    QString run, checkpoint;  ///< checkpoint: its folder's name, "step-00000400"
    QStringList settings;
    qint64 steps = 0;
    int keepLast = 0, keepBest = 0;
};

/// The checkpoints of a run: metric, size, why each is kept, and what pruning would free; each can be
/// sampled, resumed, forked and pinned.
class CheckpointTable : public QWidget {
    Q_OBJECT
public:
    explicit CheckpointTable(QWidget* parent = nullptr);
    /// `data` may be null while it is being read.
    void setRun(const QString& id, const RunData* data, bool live);
    [[nodiscard]] ForkForm& fork() const { return *form_; }
    /// Gives the list the focus, whose selected checkpoint is forked.
    void focusFork();
    /// Gives the focus to the button that says what pruning frees and does it.
    void focusPruning();
    /// Pins the selected checkpoint, or lets it go. False if none is selected.
    bool pinSelected();
    /// `kurve checkpoints --json` of the run; of another run it is ignored.
    void setJudgement(const nlohmann::json& answer);
    void setProblem(const QString& text);
    /// Selects the checkpoint of a step, says why, and gives the button that resumes from it the focus.
    void offerSound(qint64 step, const QString& why);

Q_SIGNALS:
    void wished(const kurve::views::RunWish& wish);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildRowActions();
    QWidget* buildPruning();
    void send(RunWish::Kind kind);
    void askForJudgement();
    void forgetJudgement();
    static void bring(QWidget* control);
    void chosen();

    QString run_, shown_, judged_;
    bool live_ = false, filling_ = false;
    QTreeWidget* rows_;
    QPushButton *resume_, *fork_, *sample_, *pin_, *prune_;
    ForkForm* form_;
    QSpinBox *keepLast_, *keepBest_;
    QLabel* about_;
};

}  // namespace kurve::views
