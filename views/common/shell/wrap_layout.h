#pragma once

#include <QLayout>
#include <vector>

namespace kurve::views {

/// A row of widgets that goes on in the next line where the width ends, so that a row of buttons never
/// decides how narrow a window can be. Hidden widgets take no space. The rest of a line goes to its
/// stretches and to widgets of the policy Ignored (a note that may be cut), as in a QHBoxLayout.
class WrapLayout : public QLayout {
    Q_OBJECT
public:
    explicit WrapLayout(QWidget* parent = nullptr);
    ~WrapLayout() override;

    void addStretch();
    void addSpacing(int width);
    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    void setGeometry(const QRect& rect) override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;

private:
    struct Line {
        std::vector<QLayoutItem*> items;
        int width = 0, height = 0;
    };
    [[nodiscard]] std::vector<Line> linesOf(int width) const;
    void layOut(const Line& line, const QRect& area) const;
    [[nodiscard]] bool takesSpace(const QLayoutItem* item) const;

    std::vector<QLayoutItem*> items_;
};

}  // namespace kurve::views
