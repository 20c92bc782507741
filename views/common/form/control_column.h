#pragma once

#include <QScrollArea>

namespace kurve::views {

/// A scrollable card with controls beside what they change: as wide as given, or down to two thirds of that
/// in a narrow window.
class ControlColumn : public QScrollArea {
    Q_OBJECT
public:
    ControlColumn(QWidget* controls, int width, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    int width_;
};

}  // namespace kurve::views
