#pragma once

#include <QWidget>

namespace kurve::views {

/// Reserves space for a widget whose content changes often while its size hardly does: a wrapped text with
/// numbers. The layout is updated only when the widget needs another height at its width, or another minimum
/// width; otherwise every new text would lay out the whole window. GUI thread.
class ReservedSpace : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership.
    explicit ReservedSpace(QWidget* content, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override { return content_->sizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override { return content_->minimumSizeHint(); }
    [[nodiscard]] bool hasHeightForWidth() const override { return content_->hasHeightForWidth(); }
    [[nodiscard]] int heightForWidth(int width) const override { return content_->heightForWidth(width); }

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The minimum width, and the height at the current width.
    [[nodiscard]] QSize neededSize() const;

    QWidget* content_;
    QSize reported_;
};

}  // namespace kurve::views
