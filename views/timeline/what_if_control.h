#pragma once

#include <QPoint>

#include "views/common/background.h"
#include "views/common/panel.h"
#include "views/timeline/timeline_view.h"

class QLabel;
class QToolButton;

namespace kurve::views {

class BranchTree;

/// The hand in the timeline: menu, waiting edits with the line that lists them, the tree of branches, and the
/// commands for all of it (scope: the panel). What it wants done comes out as signals.
class WhatIfControl : public QObject {
    Q_OBJECT
public:
    WhatIfControl(const StudioContext& context, TimelineView& view, QWidget* panel);

    [[nodiscard]] QWidget* strip() const { return strip_; }
    [[nodiscard]] BranchTree* tree() const { return tree_; }
    /// After the view has the model of the selection's trace.
    void traceChanged();
    /// What the user did in a frame; called while drawing.
    void take(const TimelineIntent& intent);
    void add(trace::Edit edit);

Q_SIGNALS:
    void changed();  ///< marks have to be drawn anew
    void branchRequested(const std::shared_ptr<const trace::Trace>& parent, int step, const QString& edits);
    void traceWanted(const QString& file);
    void said(const QString& text);

private:
    void addCommands();
    void buildStrip(QWidget* panel);
    /// slot < 0: what the view as a whole offers.
    void openMenu(int step, int slot, QPoint at);
    void addViewActions(class QMenu& menu) const;
    void runAgain();
    void showTree(bool on);
    void say();
    void readParent();

    StudioContext context_;
    TimelineView& view_;
    QWidget* panel_;
    QWidget* strip_ = nullptr;
    QLabel* line_ = nullptr;
    QToolButton *run_ = nullptr, *drop_ = nullptr;
    BranchTree* tree_ = nullptr;
    bool treeAsked_ = false;  ///< the user has opened or closed the tree
    Background reading_;
};

}  // namespace kurve::views
