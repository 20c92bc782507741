#pragma once

#include <QPoint>

#include "views/common/data/background.h"
#include "views/common/shell/panel.h"
#include "views/timeline/timeline_view.h"

class QLabel;
class QToolButton;

namespace kurve::views {

class BranchTree;

/// Interventions in the timeline: menu, the bar of pending edits, the branch tree and the commands (scope:
/// the panel).
class InterventionControl : public QObject {
    Q_OBJECT
public:
    InterventionControl(const StudioContext& context, TimelineView& view, QWidget* panel);

    [[nodiscard]] QWidget* strip() const { return strip_; }
    [[nodiscard]] BranchTree* tree() const { return tree_; }
    /// Called after the view has the model of the selected trace.
    void traceChanged();
    /// User input of a frame; called while drawing.
    void take(const TimelineIntent& intent);
    void add(trace::Edit edit);

Q_SIGNALS:
    void changed();  ///< marks have changed
    void statusMessage(const QString& text);

private:
    void addCommands();
    void buildStrip(QWidget* panel);
    /// position < 0: the menu of the view.
    void openMenu(int step, int position, QPoint at);
    void rerun();
    void showTree(bool on);
    void updateStrip();
    void readParent();
    void readVocabulary();

    StudioContext context_;
    TimelineView& view_;
    QWidget* panel_;
    QWidget* strip_ = nullptr;
    QLabel* line_ = nullptr;
    QToolButton *run_ = nullptr, *discard_ = nullptr;
    BranchTree* tree_ = nullptr;
    bool treeToggled_ = false;         ///< by the user
    std::filesystem::path tokenFile_;  ///< of the vocabulary that is known or being read
    Background reading_, vocabularyReading_;
};

}  // namespace kurve::views
