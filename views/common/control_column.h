#pragma once

#include <QScrollArea>

namespace kurve::views {

/// A card with controls beside what they change: it scrolls, is as wide as it was given where there is room,
/// and gives up to a third of that where there is not.
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
