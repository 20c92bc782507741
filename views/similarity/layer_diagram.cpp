#include "views/similarity/layer_diagram.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

constexpr double kMaxRow = 40, kWords = 50, kBox = 0.36;  // kBox: of the width
constexpr int kSourceInput = -1, kTextInput = -2;

QString sideAfter(bool text, int layers) {
    const QString side = text ? LayerDiagram::tr("the text") : LayerDiagram::tr("the source");
    if (layers == 0) return LayerDiagram::tr("%1 before its layers").arg(side);
    return layers == 1 ? LayerDiagram::tr("%1 after 1 layer").arg(side)
                       : LayerDiagram::tr("%1 after %2 layers").arg(side).arg(layers);
}

QString layerName(const LayerRead& read) {
    return (read.ofText ? LayerDiagram::tr("text layer %1") : LayerDiagram::tr("source layer %1"))
        .arg(read.layer);
}

}  // namespace

QString LayerRead::inWords() const {
    const QString side = sideAfter(ofText, own);
    return other < 0 ? LayerDiagram::tr("%1 reads %2").arg(layerName(*this), side)
                     : LayerDiagram::tr("%1 reads %2 and %3")
                           .arg(layerName(*this), side, sideAfter(!ofText, other));
}

std::vector<LayerRead> layerReadsOf(const trace::Trace& trace) {
    const trace::Block* block = trace.block("layer_reads");
    if (block == nullptr || block->shape.size() != 2 || block->shape[1] != 4) return {};
    std::vector<LayerRead> reads;
    for (std::size_t at = 0; at + 4 <= block->data.size(); at += 4) {
        const auto number = [&](std::size_t i) { return static_cast<int>(block->data[at + i]); };
        reads.push_back({number(0) == 1, number(1), number(2), number(3)});
    }
    return reads;
}

LayerDiagram::LayerDiagram(QWidget* parent) : QWidget(parent) {
    describe(this, "similarity.layerDiagram", tr("Order of the layers"));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(px(70));
    auto* keys = new ViewKeys(this, accessibleName());
    const auto move = [this](int by) {
        return [this, by] { select(std::clamp(selected_ + by, 0, static_cast<int>(reads_.size()) - 1)); };
    };
    keys->add({{Qt::Key_Up}, tr("Layer before"), move(-1)});
    keys->add({{Qt::Key_Down}, tr("Layer after"), move(1)});
    keys->add({{Qt::Key_Return, Qt::Key_Enter}, tr("Show matrix of layer"), [this] { choose(); }});
}

void LayerDiagram::show(std::vector<LayerRead> reads) {
    reads_ = std::move(reads);
    select(std::min(selected_, static_cast<int>(reads_.size()) - 1));
}

void LayerDiagram::select(int read) {
    selected_ = read;
    setAccessibleDescription(read < 0 ? QString() : reads_[static_cast<std::size_t>(read)].inWords());
    update();
}

QRectF LayerDiagram::box(int read) const {
    const double top = px(kWords),
                 row = std::min<double>(px(kMaxRow),
                                        (height() - top) / (static_cast<double>(reads_.size()) + 1));
    const bool text = read < 0 ? read == kTextInput : reads_[static_cast<std::size_t>(read)].ofText;
    const double width = kBox * this->width(), left = text ? this->width() - width - px(2) : px(2);
    return {left, top + row * std::max(0, read + 1), width, 0.72 * row};
}

int LayerDiagram::readAt(const QPointF& pixel) const {
    for (int read = 0; read < static_cast<int>(reads_.size()); ++read)
        if (box(read).contains(pixel)) return read;
    return -1;
}

int LayerDiagram::producer(bool ofText, int layers) const {
    const auto made = std::find_if(reads_.begin(), reads_.end(), [&](const LayerRead& read) {
        return read.ofText == ofText && read.layer == layers - 1;
    });
    if (layers == 0 || made == reads_.end()) return ofText ? kTextInput : kSourceInput;
    return static_cast<int>(made - reads_.begin());
}

void LayerDiagram::drawArrows(QPainter& painter, int read) const {
    const LayerRead& of = reads_[static_cast<std::size_t>(read)];
    const QRectF to = box(read), own = box(producer(of.ofText, of.own));
    const bool chosen = read == selected_;
    painter.setPen(QPen(chosen ? theme().accent : theme().muted, px(chosen ? 2 : 1)));
    painter.drawLine(QPointF(to.center().x(), own.bottom()), QPointF(to.center().x(), to.top()));
    if (of.other < 0) return;
    const QRectF from = box(producer(!of.ofText, of.other));
    const QPointF start(of.ofText ? from.right() : from.left(), from.center().y()),
        end(of.ofText ? to.left() : to.right(), to.center().y());
    painter.drawLine(start, end);
    const QPointF along = (end - start) / std::max(1.0, QLineF(start, end).length()) * px(7),
                  across(-along.y() / 2, along.x() / 2);
    painter.drawLine(end, end - along + across);
    painter.drawLine(end, end - along - across);
}

void LayerDiagram::drawBox(QPainter& painter, int read) const {
    const bool input = read < 0, chosen = !input && read == selected_;
    const QRectF area = box(read);
    painter.setPen(QPen(chosen ? theme().accent : theme().border, px(chosen ? 2 : 1)));
    painter.setBrush(input ? theme().surface : theme().raised);
    painter.drawRoundedRect(area, px(3), px(3));
    painter.setPen(theme().text);
    const QString name = !input ? tr("layer %1").arg(reads_[static_cast<std::size_t>(read)].layer)
                         : read == kTextInput ? tr("text")
                                              : tr("source");
    painter.drawText(area, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(name, Qt::ElideMiddle, static_cast<int>(area.width())));
}

void LayerDiagram::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont());
    const int count = static_cast<int>(reads_.size());
    for (int read = 0; read < count; ++read)
        if (read != selected_) drawArrows(painter, read);
    if (selected_ >= 0) drawArrows(painter, selected_);  // above the others
    for (int read = kTextInput; read < count; ++read) drawBox(painter, read);
    painter.setPen(theme().muted);
    painter.drawText(QRectF(0, 0, width(), px(kWords)), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     selected_ < 0 ? tr("Order of the layers in a denoising step, from top to bottom")
                                   : reads_[static_cast<std::size_t>(selected_)].inWords());
}

bool LayerDiagram::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int read = readAt(help->pos());
    read < 0 ? QToolTip::hideText()
             : QToolTip::showText(help->globalPos(), reads_[static_cast<std::size_t>(read)].inWords());
    return true;
}

void LayerDiagram::mousePressEvent(QMouseEvent* event) {
    const int read = readAt(event->position());
    if (read < 0 || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    select(read);
    choose();
}

void LayerDiagram::choose() {
    if (selected_ < 0) return;
    const LayerRead& read = reads_[static_cast<std::size_t>(selected_)];
    Q_EMIT layerChosen(read.ofText, read.layer);
}

std::vector<ViewTable> LayerDiagram::tables() const {
    ViewTable table{accessibleName(), {"side", "layer", "own_layers_read", "other_layers_read"}, {}};
    for (const LayerRead& read : reads_)
        table.rows.push_back({read.ofText ? QStringLiteral("text") : QStringLiteral("source"),
                              static_cast<double>(read.layer), static_cast<double>(read.own),
                              static_cast<double>(read.other)});
    return {table};
}

}  // namespace kurve::views
