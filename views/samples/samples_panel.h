#pragma once

#include <vector>

#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"

class QLabel;
class QPushButton;
class QTableView;
class QToolButton;

namespace kurve::views {

class SampleTableModel;

/// The fixed prompts of the primary run: input, output and reference with their word differences, at the
/// playhead's evaluation (the newest while the playhead is at the end).
class SamplesPanel : public Panel {
    Q_OBJECT
public:
    explicit SamplesPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] SampleTableModel* model() const { return model_; }

private:
    void takeSelection();
    void refresh();
    void step(int by);
    void openTrace();
    void addTry();

    WatchedRuns watched_{context().catalog};
    QString run_;
    std::vector<qint64> evaluations_;
    int shown_ = -1;
    bool newest_ = true;
    SampleTableModel* model_;
    QTableView* table_;
    QLabel* where_;
    QToolButton *earlier_, *later_;
    QPushButton *latest_, *open_;
};

}  // namespace kurve::views
