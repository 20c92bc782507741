#pragma once

#include <QTabWidget>
#include <functional>

#include "views/frontier/frontier_chart.h"
#include "views/frontier/sampler_use.h"

class QLayout;
class QLabel;
class QPushButton;
class QTableWidget;

namespace kurve::views {

class PointTable;

/// Under the plane: one point with its numbers, its texts and the actions on its settings; and the table of
/// the selected points, with their common settings.
class PointDetails : public QTabWidget {
    Q_OBJECT
public:
    explicit PointDetails(QWidget* parent = nullptr);
    /// Null: shows how to choose a point. `title` gives a metric's name with its unit.
    void showPoint(const frontier::SweepPoint* point, const QString& run,
                   const std::function<QString(const QString& metric)>& title);
    void showSelected(const Plane& plane, const std::vector<FrontierChart::PointIndex>& indices,
                      const QString& qualityTitle, const QString& diversityTitle);
    /// Shows what was done with the settings, beside an Undo button; without `undo` no button.
    void offerUndo(const QString& text, std::function<void()> undo);

Q_SIGNALS:
    void useWanted(kurve::views::SamplerUse use);
    void textOpened(int row, int draw);  ///< draw: which seed; the first for source and reference

private:
    QLayout* buildUse();

    QLabel *point_, *common_;
    QTableWidget* texts_;
    PointTable* points_;
    QPushButton *usePrompt_ = nullptr, *useDraft_ = nullptr, *useDefault_ = nullptr, *undo_ = nullptr;
    QLabel* used_ = nullptr;
    std::function<void()> undoing_;
};

}  // namespace kurve::views
