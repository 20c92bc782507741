#pragma once

#include <QScrollArea>
#include <functional>

namespace kurve::views {

/// Charts that stand in two columns, or below each other where the room is narrow; what does not fit,
/// scrolls.
class FoldingContent : public QScrollArea {
    Q_OBJECT
public:
    /// `arrange` places the content's children, at once and whenever the answer to "is it narrow" changes.
    FoldingContent(QWidget* content, std::function<void(bool narrow)> arrange, QWidget* parent = nullptr);
    [[nodiscard]] bool isNarrow() const { return narrow_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    std::function<void(bool)> arrange_;
    bool narrow_ = false;
};

}  // namespace kurve::views
