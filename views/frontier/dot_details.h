#pragma once

#include <QTabWidget>
#include <functional>

#include "views/frontier/frontier_chart.h"

class QLayout;
class QLabel;
class QPushButton;
class QTableWidget;

namespace kurve::views {

class DotTable;

/// Where a dot's sampler settings are wanted.
enum class SamplerUse : unsigned char { Prompt, Draft, Default };

/// Under the plane: one dot with its numbers, its texts and what can be done with its settings; and the table
/// of the dots that were gathered, with what they have in common.
class DotDetails : public QTabWidget {
    Q_OBJECT
public:
    explicit DotDetails(QWidget* parent = nullptr);
    /// Null: says how to choose a dot. `title` gives a metric's name with its unit.
    void showPoint(const frontier::SweepPoint* point, const QString& run,
                   const std::function<QString(const QString& metric)>& title);
    void showGathered(const Plane& plane, const std::vector<FrontierChart::Place>& places,
                      const QString& qualityTitle, const QString& diversityTitle);
    /// Says what was done with the settings, beside a button that takes it back; without `undo` only says it.
    void offerUndo(const QString& text, std::function<void()> undo);

Q_SIGNALS:
    void useWanted(kurve::views::SamplerUse use);
    void textOpened(int row, int draw);  ///< draw: which seed; source and reference stand for the first

private:
    QLayout* buildUse();

    QLabel *point_, *common_;
    QTableWidget* texts_;
    DotTable* dots_;
    QPushButton *usePrompt_ = nullptr, *useDraft_ = nullptr, *useDefault_ = nullptr, *undo_ = nullptr;
    QLabel* used_ = nullptr;
    std::function<void()> undoing_;
};

}  // namespace kurve::views
