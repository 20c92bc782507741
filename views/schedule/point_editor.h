#pragma once

#include <QWidget>

#include "core/schedule/free_curve.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QPushButton;
class QTableWidget;

namespace kurve::views {

/// The points of a drawn schedule as a table, with its ends, and what can be done with them. Numbers may be
/// written that break the schedule: the invariants say so.
class PointEditor : public QWidget {
    Q_OBJECT
public:
    explicit PointEditor(QWidget* parent = nullptr);
    void show(const schedule::FreeCurve& curve, int selected);
    void setHistory(bool canUndo, bool canRedo);
    void addPoint();  ///< in the middle of the widest part beside the selected point
    void removePoint();
    /// Takes a list of numbers as the points, in the meaning chosen beside the button.
    void pasteText(const QString& text);

Q_SIGNALS:
    void edited(const kurve::schedule::FreeCurve& curve, const QString& tag);
    void selected(int index);
    void undoWanted();
    void redoWanted();
    void problem(const QString& text);

private:
    void buildEnds(class QVBoxLayout* column);
    void buildButtons(class QVBoxLayout* column);
    void cellChanged(int row, int column);
    void endsChanged();
    void fillTable();
    QPushButton* button(const QString& id, const QString& text, const QString& tip);

    schedule::FreeCurve curve_;
    int selected_ = -1;
    bool filling_ = false;
    QTableWidget* table_;
    QCheckBox *zeroTerminal_, *clamp_;
    QDoubleSpinBox *low_, *high_;
    QComboBox* meaning_;
    QPushButton *undo_, *redo_, *remove_;
};

}  // namespace kurve::views
