#pragma once

#include <QSplitter>

namespace kurve::views {

/// Parts beside each other, or one below the other where the room is narrower than `across` at no zoom.
class FoldingSplitter : public QSplitter {
    Q_OBJECT
public:
    explicit FoldingSplitter(int across, QWidget* parent = nullptr);
    [[nodiscard]] bool isNarrow() const { return orientation() == Qt::Vertical; }
    /// As wide as the widest part: that is how narrow it can get.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int across_;
};

}  // namespace kurve::views
