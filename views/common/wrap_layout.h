#pragma once

#include <QLayout>
#include <vector>

namespace kurve::views {

/// A row of widgets that goes on in the next line where the width ends, so that a row of buttons never
/// decides how narrow a window can be. Hidden widgets take no room.
class WrapLayout : public QLayout {
    Q_OBJECT
public:
    explicit WrapLayout(QWidget* parent = nullptr);
    ~WrapLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    void setGeometry(const QRect& place) override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;

private:
    /// Places the items in lines of this width, or only measures; returns the height.
    int arrange(const QRect& place, bool only) const;

    std::vector<QLayoutItem*> items_;
};

}  // namespace kurve::views
