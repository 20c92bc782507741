#include "views/similarity/thumbnail_grid.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {
constexpr double kSide = 40, kGap = 3, kTitle = 96;
}

ThumbnailGrid::ThumbnailGrid(QWidget* parent) : QWidget(parent) {
    describe(this, "similarity.thumbnails", tr("Matrices of all layers and steps"));
    setFocusPolicy(Qt::StrongFocus);
    onThemeChange(this, &ThumbnailGrid::colour);
    auto* keys = new ViewKeys(this, tr("Thumbnails of matrices"));
    const auto go = [this](int layers, int steps) {
        return [this, layers, steps] { choose(layer_ + layers, step_ + steps); };
    };
    keys->add({{Qt::Key_Left}, tr("Previous step"), go(0, -1)});
    keys->add({{Qt::Key_Right}, tr("Next step"), go(0, 1)});
    keys->add({{Qt::Key_Up}, tr("Previous layer"), go(-1, 0)});
    keys->add({{Qt::Key_Down}, tr("Next layer"), go(1, 0)});
}

void ThumbnailGrid::show(const std::vector<std::vector<QImage>>& thumbnails, const QStringList& layerTitles) {
    thumbnails_ = thumbnails;
    titles_ = layerTitles;
    colour();
    updateGeometry();
    resize(sizeHint());
    update();
}

void ThumbnailGrid::colour() {
    const QList<QRgb> table = matrixColorTable();
    for (auto& row : thumbnails_)
        for (QImage& picture : row) picture.setColorTable(table);
    update();
}

void ThumbnailGrid::setCurrent(int layer, int step) {
    layer_ = layer;
    step_ = step;
    update();
}

QRect ThumbnailGrid::cell(int layer, int step) const {
    return {px(kTitle + step * (kSide + kGap)), px(18 + layer * (kSide + kGap)), px(kSide), px(kSide)};
}

QSize ThumbnailGrid::sizeHint() const {
    std::size_t steps = 0;
    for (const auto& row : thumbnails_) steps = std::max(steps, row.size());
    const QRect last = cell(static_cast<int>(thumbnails_.size()) - 1, static_cast<int>(steps) - 1);
    return {last.right() + px(kGap) + 2, last.bottom() + px(kGap) + 2};
}

void ThumbnailGrid::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), theme().surface);
    painter.setFont(smallFont());
    for (std::size_t layer = 0; layer < thumbnails_.size(); ++layer) {
        painter.setPen(theme().muted);
        const QRect first = cell(static_cast<int>(layer), 0);
        const QRect beside(0, first.top(), first.left() - px(kGap), first.height());
        painter.drawText(beside, Qt::AlignVCenter | Qt::AlignRight,
                         painter.fontMetrics().elidedText(titles_.value(static_cast<int>(layer)),
                                                          Qt::ElideMiddle, beside.width()));
        for (std::size_t step = 0; step < thumbnails_[layer].size(); ++step) {
            const QRect area = cell(static_cast<int>(layer), static_cast<int>(step));
            if (layer == 0) {
                painter.setPen(theme().muted);
                painter.drawText(QRect(area.left(), 0, area.width(), px(16)), Qt::AlignCenter,
                                 QString::number(step + 1));
            }
            if (!event->rect().intersects(area)) continue;
            const QImage& picture = thumbnails_[layer][step];
            painter.drawImage(QRect(area.topLeft(), picture.size().scaled(area.size(), Qt::KeepAspectRatio)),
                              picture);
            const bool current = static_cast<int>(layer) == layer_ && static_cast<int>(step) == step_;
            painter.setPen(QPen(current ? theme().accent : theme().border, current ? px(2) : 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(area.adjusted(0, 0, -1, -1));
        }
    }
}

void ThumbnailGrid::choose(int layer, int step) {
    if (thumbnails_.empty()) return;
    layer = std::clamp(layer, 0, static_cast<int>(thumbnails_.size()) - 1);
    const int steps = static_cast<int>(thumbnails_[static_cast<std::size_t>(layer)].size());
    if (steps == 0) return;
    step = std::clamp(step, 0, steps - 1);
    setCurrent(layer, step);
    Q_EMIT chosen(layer, step);
}

void ThumbnailGrid::mousePressEvent(QMouseEvent* event) {
    for (int layer = 0; layer < static_cast<int>(thumbnails_.size()); ++layer)
        for (int step = 0; step < static_cast<int>(thumbnails_[static_cast<std::size_t>(layer)].size());
             ++step)
            if (cell(layer, step).contains(event->pos())) return choose(layer, step);
}

}  // namespace kurve::views
