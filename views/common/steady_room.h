#pragma once

#include <QWidget>

namespace kurve::views {

/// Room for a widget that is filled anew again and again while its size hardly changes: a wrapped text with
/// numbers in it. The layout around is told only when the widget wants another height at the width it has, or
/// more than its least width; otherwise every new text would lay out the whole window again. GUI thread.
class SteadyRoom : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership.
    explicit SteadyRoom(QWidget* content, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override { return content_->sizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override { return content_->minimumSizeHint(); }
    [[nodiscard]] bool hasHeightForWidth() const override { return content_->hasHeightForWidth(); }
    [[nodiscard]] int heightForWidth(int width) const override { return content_->heightForWidth(width); }

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// What a layout would go by: the least width, and the height at the present width.
    [[nodiscard]] QSize wish() const;

    QWidget* content_;
    QSize told_;
};

}  // namespace kurve::views
