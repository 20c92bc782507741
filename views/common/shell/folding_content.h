#pragma once

#include <QScrollArea>
#include <functional>

namespace kurve::views {

/// Charts in two columns, or in one column where the width is small; scrolls if needed.
class FoldingContent : public QScrollArea {
    Q_OBJECT
public:
    /// `arrange` lays out the content's children, at once and whenever isNarrow() changes.
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
