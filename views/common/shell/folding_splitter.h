#pragma once

#include <QSplitter>

namespace kurve::views {

/// Parts beside each other, or below each other where the width is less than `across` (at zoom 1).
class FoldingSplitter : public QSplitter {
    Q_OBJECT
public:
    explicit FoldingSplitter(int across, QWidget* parent = nullptr);
    [[nodiscard]] bool isNarrow() const { return orientation() == Qt::Vertical; }
    /// As wide as the widest part.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int across_;
};

}  // namespace kurve::views
