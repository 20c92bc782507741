#pragma once

#include <vector>

#include "core/interop/report.h"
#include "views/common/data/lineage.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/compare/compared_run.h"

class QTabWidget;

namespace kurve::views {

class CompareChart;
class CompareStates;
class ElidedLabel;
class FinalMetrics;
class FixedPrompts;
class RunColumnsTable;

/// Two or more selected runs beside each other: settings that differ, final metrics with deltas to the first
/// run (or means of groups with those to the first one's), overlaid curves or token
/// similarity, and the outputs for the fixed prompts.
class ComparePanel : public Panel {
    Q_OBJECT
public:
    explicit ComparePanel(const StudioContext& context, QWidget* parent = nullptr);

    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    /// The run that the others are compared to; empty: the first selected one.
    [[nodiscard]] const QString& baseline() const;
    /// The same one again: none.
    void setBaseline(const QString& id);
    /// Baseline, chart and table choices, for the session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    [[nodiscard]] QWidget* makeHead();
    [[nodiscard]] QWidget* makeTables();
    void buildMiddle();
    void connectContext();
    void connectParts();
    void addCommands();
    void watchSelection();
    void refresh();
    void refreshFinalMetrics();
    void requestReport();
    [[nodiscard]] interop::ReportView reportView() const;
    void useCurrentAsBaseline();
    void chooseRun(const QString& id);
    void showEmptyState();
    void compareNewest();
    [[nodiscard]] ComparedRun read(const QString& id) const;

    std::vector<ComparedRun> runs_;
    WatchedRuns watched_{context().catalog};
    ElidedLabel *diffNote_ = nullptr, *statement_ = nullptr;
    RunColumnsTable* diff_ = nullptr;
    FinalMetrics* final_;
    CompareChart* chart_;
    CompareStates* states_;
    QTabWidget* middle_;
    FixedPrompts* prompts_;
    ParentWatch parents_;
};

}  // namespace kurve::views
