#include "views/common/chart/plot_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QTextDocumentFragment>
#include <algorithm>
#include <cmath>

#include "views/common/chart/guide_line.h"
#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/view_keys.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

PlotCard::PlotCard(const QString& id, const QString& title, QWidget* parent)
    : QFrame(parent),
      title_(new ElidedLabel("title")),
      caption_(describe(new QLabel, id + QStringLiteral(".caption"),
                        {.role = "caption", .shrinks = true, .format = Qt::RichText})),
      plot_(describe(new QCustomPlot, id + QStringLiteral(".plot"), title)),
      layers_(*plot_),
      scales_{AxisScale(plot_->xAxis), AxisScale(plot_->yAxis)} {
    describe(this, id, title, {.role = "card"});  // named: also a view of its own, for exports
    title_->setText(title);
    caption_->installEventFilter(this);
    caption_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    plot_->setMinimumHeight(px(90));
    plot_->installEventFilter(this);

    auto* top = hbox({title_, {caption_, 1}}, {.margins = {10, 7, 10, 0}, .spacing = space::kMedium});
    vboxIn(this, {top, {plot_, 1}}, {.margins = {2, 1, 2, 2}, .spacing = 2});

    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        const QPointF at = coordsOf(*plot_, event->position());
        Q_EMIT hovered(at.x(), at.y());
    });
    onThemeChange(this, [this] {
        stylePlot(plot_);
        if (zoom_ != nullptr) zoom_->applyTheme();
        Q_EMIT restyled();
        queueReplot();
    });
    stylePlot(plot_);
}

void PlotCard::setTitle(const QString& title) {
    title_->setText(title);
    plot_->setAccessibleName(title);
    setAccessibleName(title);
}

void PlotCard::setLayers(const std::vector<ChartLayer>& layers) {
    layers_.show(layers);
    queueReplot();
}

void PlotCard::setCaption(const QStringList& parts) {
    captionParts_ = parts;
    showParts(parts);
}

void PlotCard::setReadout(const QStringList& parts) {
    showParts(parts);
}

namespace {

/// Elides a name in the middle, after its glyph; empty if it does not fit. Plain words end in "…".
QString shortened(const QString& part, const QFontMetrics& metrics, int width) {
    const QString end = QStringLiteral("</span>");
    const qsizetype at = part.indexOf(end);
    const auto plain = [](const QString& rich) {
        return QTextDocumentFragment::fromHtml(rich).toPlainText();
    };
    if (at < 0 && !part.contains(QLatin1Char('<')))
        return metrics.elidedText(plain(part), Qt::ElideRight, width).toHtmlEscaped();
    if (at < 0) return part;  // values: clipped at the end
    const QString mark = part.left(at + end.size());
    const int available = width - metrics.horizontalAdvance(plain(mark) + QLatin1Char(' '));
    const QString text = plain(part.mid(mark.size())).trimmed();
    if (available < metrics.averageCharWidth() * 5) return {};  // a glyph without its name is useless
    return mark + QStringLiteral("&nbsp;") +
           metrics.elidedText(text, Qt::ElideMiddle, std::max(0, available)).toHtmlEscaped();
}

}  // namespace

void PlotCard::showParts(const QStringList& parts) {
    shownParts_ = parts;
    qsizetype count = parts.size();
    do caption_->setText(parts.mid(0, count).join(QStringLiteral("&nbsp;&nbsp; ")));
    while (caption_->sizeHint().width() > caption_->width() && --count > 0);
    if (count == 0 && !parts.isEmpty())
        caption_->setText(shortened(parts.front(), caption_->fontMetrics(), caption_->width()));
    // The tooltip has what a narrow card drops.
    const bool whole = count == parts.size();
    caption_->setToolTip(whole ? QString() : parts.join(QStringLiteral("<br>")));
}

void PlotCard::addToTitle(QWidget* widget, int stretch) {
    auto* top = qobject_cast<QHBoxLayout*>(layout()->itemAt(0)->layout());
    top->insertWidget(1, widget, stretch);
}

void PlotCard::setPart() {
    setProperty("role", {});
    for (QWidget* part : {static_cast<QWidget*>(title_), static_cast<QWidget*>(caption_)}) part->hide();
    layout()->itemAt(0)->layout()->setContentsMargins({});
    layout()->setContentsMargins(px(2), px(2), px(2), px(2));  // of the focus frame
    layout()->setSpacing(0);
}

void PlotCard::queueReplot() {
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

QString PlotCard::key(const QColor& color, const QString& text, const QString& glyph) {
    return QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3")
        .arg(color.name(), glyph, text.toHtmlEscaped());
}

std::vector<ViewTable> PlotCard::tables() const {
    const auto named = [](const QString& title, const char* otherwise) {
        return title.isEmpty() ? QLatin1String(otherwise) : title;
    };
    ViewTable table{
        plot_->accessibleName(),
        {QStringLiteral("curve"), named(plot_->xAxis->label(), "x"), named(plot_->yAxis->label(), "y")},
        {}};
    const auto add = [&](const QString& name, auto& points) {
        for (auto point = points.constBegin(); point != points.constEnd(); ++point)
            table.rows.push_back({name, point->mainKey(), point->mainValue()});
    };
    const auto addCells = [&](const QString& name, QCPColorMapData& cells) {
        if (table.columns.size() == 3) table.columns << QStringLiteral("value");
        for (int row = 0; row < cells.valueSize(); ++row)
            for (int column = 0; column < cells.keySize(); ++column) {
                double key = 0, value = 0;
                cells.cellToCoord(column, row, &key, &value);
                table.rows.push_back({name, key, value, cells.cell(column, row)});
            }
    };
    for (int i = 0; i < plot_->plottableCount(); ++i) {
        QCPAbstractPlottable* drawn = plot_->plottable(i);
        if (!drawn->visible()) continue;
        const QString name = drawn->name().isEmpty() ? QString::number(i + 1) : drawn->name();
        if (const auto* graph = qobject_cast<QCPGraph*>(drawn)) add(name, *graph->data());
        if (const auto* curve = qobject_cast<QCPCurve*>(drawn)) add(name, *curve->data());
        if (const auto* bars = qobject_cast<QCPBars*>(drawn)) add(name, *bars->data());
        if (const auto* map = qobject_cast<QCPColorMap*>(drawn)) addCells(name, *map->data());
    }
    return {table};
}

QSize PlotCard::sizeHint() const {
    return {px(420), px(240)};
}

bool PlotCard::eventFilter(QObject* watched, QEvent* event) {
    const bool focus = event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut;
    if (watched == plot_ && focus) update();
    if (watched == plot_ && event->type() == QEvent::FocusOut) showReading(false);
    if (watched == plot_ && (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut)) {
        showParts(captionParts_);
        Q_EMIT left();
    }
    if (watched == caption_ && event->type() == QEvent::Resize) showParts(QStringList(shownParts_));
    return QFrame::eventFilter(watched, event);
}

// ---- zoom ----

ViewKeys& PlotCard::makeZoomable(Zoom zoom) {
    fit_ = std::move(zoom.fit);
    zoom_ = new ChartZoom(*plot_, scales_, *plot_);
    zoom_->applyTheme();
    setFocusProxy(plot_);
    plot_->setFocusPolicy(Qt::StrongFocus);
    auto* keys = new ViewKeys(plot_, zoom.title);
    zoom_->addKeys(*keys, zoom.cursor, zoom.arrows);
    keys->add({{Qt::Key_Home}, tr("Fit to data"), [this] { zoom_->reset(); }});
    connect(plot_, &QCustomPlot::mouseDoubleClick, zoom_, &ChartZoom::reset);
    connect(zoom_, &ChartZoom::followChosen, this, &PlotCard::fitData);
    connect(zoom_, &ChartZoom::changed, this, &PlotCard::queueReplot);
    return *keys;
}

void PlotCard::fitData() {
    if (zoom_->isAutomatic()) fit_();
    queueReplot();
}

void PlotCard::fit() {
    zoom_->reset();
}

void PlotCard::setOtherAxes() {
    zoom_->follow();
    zoom_->forget();
}

// ---- key cursor ----

void PlotCard::readByKeys(Reading reading) {
    reading_ = reading;
    setFocusPolicy(Qt::ClickFocus);  // its title, too; before the proxy, whose policy it would be
    setFocusProxy(plot_);
    plot_->setFocusPolicy(Qt::StrongFocus);
    across_ = new GuideLine(plot_, Qt::Vertical);
    down_ = new GuideLine(plot_, Qt::Horizontal);
    for (GuideLine* line : {across_, down_}) {
        line->setLayer(QStringLiteral("axes"));  // above the curves
        line->setVisible(false);
    }
    auto* keys =
        new ViewKeys(plot_, reading == Reading::Cells ? tr("Heat map") : tr("Chart with value cursor"));
    const auto go = [this](int across, int down) {
        return [this, across, down] { moveReading(across, down); };
    };
    const auto shifted = [](Qt::Key key) { return QKeySequence(Qt::SHIFT | key); };
    keys->add({{Qt::Key_Left}, tr("Move cursor left"), go(-1, 0)});
    keys->add({{Qt::Key_Right}, tr("Move cursor right"), go(1, 0)});
    keys->add({{shifted(Qt::Key_Left)}, tr("Move cursor left by 10 steps"), go(-10, 0)});
    keys->add({{shifted(Qt::Key_Right)}, tr("Move cursor right by 10 steps"), go(10, 0)});
    if (reading == Reading::Along) return;
    keys->add({{Qt::Key_Up}, tr("Move cursor up"), go(0, -1)});
    keys->add({{Qt::Key_Down}, tr("Move cursor down"), go(0, 1)});
    keys->add({{Qt::Key_Return, Qt::Key_Enter},
               tr("Click at cursor"),
               [this] { Q_EMIT entered(readAt_->x(), readAt_->y()); },
               {},
               [this] { return readAt_.has_value(); }});
}

/// The first press starts in the middle.
void PlotCard::moveReading(int across, int down) {
    const QCPRange x = plot_->xAxis->range(), y = plot_->yAxis->range();
    QPointF at(x.center(), y.center());
    if (readAt_ && reading_ == Reading::Along) {
        const double pixel = across * plot_->axisRect()->width() / 100.0;
        at.setX(plot_->xAxis->pixelToCoord(plot_->xAxis->coordToPixel(readAt_->x()) + pixel));
    } else if (readAt_) {
        at = *readAt_ + QPointF(across, plot_->yAxis->rangeReversed() ? down : -down);
    }
    if (reading_ == Reading::Along) {
        at.setX(std::clamp(at.x(), x.lower, x.upper));
    } else {
        at.setX(std::clamp(std::round(at.x()), std::ceil(x.lower), std::floor(x.upper)));
        at.setY(std::clamp(std::round(at.y()), std::ceil(y.lower), std::floor(y.upper)));
    }
    readAt_ = at;
    showReading(true);
    Q_EMIT hovered(at.x(), at.y());
    plot_->setAccessibleDescription(
        QTextDocumentFragment::fromHtml(shownParts_.join(QStringLiteral(", "))).toPlainText());
}

void PlotCard::showReading(bool on) {
    if (across_ == nullptr) return;
    across_->setVisible(on);
    down_->setVisible(on && reading_ == Reading::Cells);
    for (GuideLine* line : {across_, down_})
        line->setPen(QPen(theme().accent, 1.5 * theme().scale, Qt::DotLine));
    if (on) {
        across_->setAt(readAt_->x());
        down_->setAt(readAt_->y());
    }
    queueReplot();
}

void PlotCard::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    if (plot_->hasFocus()) paintFocusFrame(*this);
}

}  // namespace kurve::views
