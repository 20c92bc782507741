#pragma once

#include <QStringList>
#include <QWidget>

#include "views/states/similarity_overview.h"

namespace kurve::views {

/// Thumbnails of matrices, layers down and steps across; click or arrow keys select one.
class ThumbnailGrid : public QWidget {
    Q_OBJECT
public:
    explicit ThumbnailGrid(QWidget* parent = nullptr);
    /// Levels (views/states/similarity_overview.h), in the theme's colours.
    void show(const std::vector<std::vector<QImage>>& thumbnails, const QStringList& layerTitles);
    void setCurrent(int layer, int step);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void chosen(int layer, int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QRect cell(int layer, int step) const;
    void choose(int layer, int step);
    void colour();

    std::vector<std::vector<QImage>> thumbnails_;
    QStringList titles_;
    int layer_ = 0, step_ = 0;
};

}  // namespace kurve::views
