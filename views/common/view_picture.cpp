#include "views/common/view_picture.h"

#include <QAbstractScrollArea>
#include <QBuffer>
#include <QFileInfo>
#include <QHeaderView>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QSvgGenerator>
#include <algorithm>
#include <vector>

#include "views/common/clipped_device.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"
#include "views/common/theme.h"

namespace kurve::views {

namespace {

constexpr int kPdfDotsPerInch = 96;
constexpr double kImageRatio = 2, kPartRatio = 3;
const char* const kLeftOut = "leftOutOfFigures";

/// The light colours for as long as a figure is drawn.
class PrintStyle {
public:
    explicit PrintStyle(QWidget& view) : view_(view), mode_(themeMode()), wasDark_(theme().dark) {
        if (!wasDark_) return;
        view_.window()->setUpdatesEnabled(false);
        applyTheme(ThemeMode::Light, theme().scale);
    }
    PrintStyle(const PrintStyle&) = delete;
    PrintStyle& operator=(const PrintStyle&) = delete;
    ~PrintStyle() {
        if (!wasDark_) return;
        applyTheme(mode_, theme().scale);
        view_.window()->setUpdatesEnabled(true);
    }

private:
    QWidget& view_;
    ThemeMode mode_;
    bool wasDark_;
};

/// Whether a widget paints more than is in sight: rows, columns and lines that are scrolled away.
bool isScrolled(const QWidget& widget) {
    const auto* area = qobject_cast<const QAbstractScrollArea*>(widget.parentWidget());
    if (area == nullptr || area->viewport() != &widget) return false;
    if (const auto* header = qobject_cast<const QHeaderView*>(area))
        return header->offset() > 0 ||
               header->length() >
                   (header->orientation() == Qt::Horizontal ? widget.width() : widget.height());
    if (qobject_cast<const QScrollArea*>(area) != nullptr) return false;  // it paints nothing itself
    return area->horizontalScrollBar()->maximum() > 0 || area->verticalScrollBar()->maximum() > 0;
}

/// A part of a widget as an image: vector formats know no clip that a widget's own painting would heed.
void drawAsImage(QWidget& widget, QCPPainter& painter, const QPoint& place, const QRect& seen,
                 QWidget::RenderFlags flags) {
    QImage image(seen.size() * kPartRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kPartRatio);
    image.fill(Qt::transparent);
    widget.render(&image, QPoint(), QRegion(seen.translated(-place)), flags);
    painter.drawImage(QRectF(seen), image);
}

/// What was marked so, and what is there to be dragged.
bool isLeftOut(const QWidget& widget) {
    return widget.property(kLeftOut).toBool() || qobject_cast<const QSplitterHandle*>(&widget) != nullptr ||
           qobject_cast<const QScrollBar*>(&widget) != nullptr;
}

bool holdsLeftOut(const QWidget& widget) {
    const auto parts = widget.findChildren<QWidget*>();
    return std::any_of(parts.begin(), parts.end(),
                       [](const QWidget* part) { return part->property(kLeftOut).toBool(); });
}

/// The visible widgets in it that figures show.
std::vector<QWidget*> shownParts(const QWidget& widget) {
    std::vector<QWidget*> parts;
    for (QObject* object : widget.children()) {
        auto* child = qobject_cast<QWidget*>(object);
        if (child && child->isVisibleTo(&widget) && !child->isWindow() && !isLeftOut(*child))
            parts.push_back(child);
    }
    return parts;
}

/// Where something is drawn that is more than the ground other parts stand on.
QRect filled(QWidget& widget, const QPoint& place) {
    const QRect own(place, widget.size());
    const bool isCard =  // one whose tools are left out is cut as well
        widget.property("role").toString() == QLatin1String("card") && !holdsLeftOut(widget);
    const bool drawsItself = qobject_cast<QCustomPlot*>(&widget) || dynamic_cast<HasVectors*>(&widget) ||
                             qobject_cast<QAbstractScrollArea*>(&widget) ||
                             qobject_cast<LineChart*>(&widget) || isCard;
    const bool container = widget.findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly) != nullptr;
    if (drawsItself || !container) return own;
    QRect all;
    for (QWidget* part : shownParts(widget)) all |= filled(*part, place + part->pos()) & own;
    return all;
}

/// The part of a view that its figure shows: all, or without the strips at its sides that became empty.
QRect partOf(QWidget& view) {
    if (!holdsLeftOut(view)) return view.rect();
    const QRect full = filled(view, QPoint());
    if (full.isEmpty()) return view.rect();
    const int margin = px(space::kTight), plain = px(space::kSmall);
    QRect part = full.adjusted(-margin, -margin, margin, margin) & view.rect();
    // What a layout leaves free beside its parts is no strip.
    if (part.left() <= plain) part.setLeft(0);
    if (view.rect().right() - part.right() <= plain) part.setRight(view.rect().right());
    return part;
}

/// A plot as lines and texts, at the painter's origin.
void drawPlot(QCustomPlot& plot, QCPPainter& painter) {
    if (painter.paintEngine()->type() != QPaintEngine::SVG)
        return plot.toPainter(&painter, plot.width(), plot.height());
    ClippedDevice device(painter);
    QCPPainter within(&device);
    within.setModes(painter.modes());
    within.setRenderHints(painter.renderHints());
    plot.toPainter(&within, plot.width(), plot.height());
}

/// Draws what is in sight of a widget and of what it holds, each by its own means, so that plots stay lines.
void drawTree(QWidget& widget, QCPPainter& painter, const QPoint& place, const QRect& room) {
    const QRect all(place, widget.size()), seen = all & room;
    if (seen.isEmpty()) return;
    const bool whole = seen == all && !isScrolled(widget);
    if (auto* chart = qobject_cast<LineChart*>(&widget)) (void)chart->plot();  // settles the legend too
    if (auto* plot = qobject_cast<QCustomPlot*>(&widget)) {
        if (!whole) {
            plot->replot(QCustomPlot::rpQueuedRefresh);  // its picture is of the window's theme still
            return drawAsImage(widget, painter, place, seen, QWidget::DrawChildren);
        }
        painter.save();
        painter.translate(place);
        drawPlot(*plot, painter);
        painter.restore();
        return;
    }
    if (auto* drawn = dynamic_cast<HasVectors*>(&widget); drawn != nullptr && whole) {
        painter.save();
        painter.translate(place);
        drawn->paintVectors(painter);
        painter.restore();
        return;
    }
    if (whole) {
        painter.save();
        painter.translate(place);
        widget.render(&painter, QPoint(), QRegion(), QWidget::RenderFlags());
        painter.restore();
    } else {
        drawAsImage(widget, painter, place, seen, QWidget::RenderFlags());
    }
    for (QWidget* part : shownParts(widget)) drawTree(*part, painter, place + part->pos(), seen);
}

int captionHeight(int width, const QString& caption) {
    if (caption.isEmpty()) return 0;
    const QFontMetrics metrics(smallFont());
    return metrics.boundingRect(QRect(0, 0, width - px(16), 10000), Qt::TextWordWrap, caption).height() +
           px(12);
}

QSize sizeOf(QWidget& view, const QString& caption) {
    const QSize part = partOf(view).size();
    return part + QSize(0, captionHeight(part.width(), caption));
}

void drawFigure(QWidget& view, QPaintDevice& device, const QString& caption, bool vectors) {
    QCPPainter painter(&device);
    if (vectors) painter.setMode(QCPPainter::pmVectorized);
    painter.setRenderHint(QPainter::Antialiasing);
    // A page holds images as JPEG else: the cells of a matrix would have other colours than its scale.
    painter.setRenderHint(QPainter::LosslessImageRendering);
    const QRect part = partOf(view);
    const QRect below(0, part.height(), part.width(), captionHeight(part.width(), caption));
    painter.fillRect(QRect(QPoint(), sizeOf(view, caption)), Qt::white);  // as paper
    // What is cut off lies beyond the page, or under the caption's paper.
    drawTree(view, painter, -part.topLeft(), view.rect().translated(-part.topLeft()));
    if (part.bottom() < view.rect().bottom()) painter.fillRect(below, Qt::white);
    painter.setFont(smallFont());
    painter.setPen(theme().muted);
    painter.drawText(below.adjusted(px(8), px(4), -px(8), 0), Qt::TextWordWrap, caption);
}

QByteArray pdfOf(QWidget& view, const QString& caption) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    const QSizeF points = QSizeF(sizeOf(view, caption)) * 72.0 / kPdfDotsPerInch;
    writer.setPageSize(QPageSize(points, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    writer.setResolution(kPdfDotsPerInch);
    writer.setCreator(QStringLiteral("Kurve"));
    writer.setTitle(caption);
    drawFigure(view, writer, caption, true);
    return bytes;
}

QByteArray svgOf(QWidget& view, const QString& caption) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(kPdfDotsPerInch);
    const QSize size = sizeOf(view, caption);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(caption);
    drawFigure(view, generator, caption, true);
    return bytes;
}

QByteArray pngOf(QWidget& view, const QString& caption) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    viewImage(view, caption).save(&buffer, "PNG");
    return bytes;
}

}  // namespace

void leaveOutOfFigures(QWidget& part, bool on) {
    part.setProperty(kLeftOut, on);
}

void leaveOutOfFigures(const QLayout& tools) {
    for (int i = 0; i < tools.count(); ++i) {
        QLayoutItem* item = tools.itemAt(i);
        if (item->widget() != nullptr) leaveOutOfFigures(*item->widget());
        if (item->layout() != nullptr) leaveOutOfFigures(*item->layout());
    }
}

QImage viewImage(QWidget& view, const QString& caption) {
    const PrintStyle light(view);
    QImage image(sizeOf(view, caption) * kImageRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kImageRatio);
    drawFigure(view, image, caption, false);
    return image;
}

Status writePicture(QWidget& view, const QString& file, const QString& caption) {
    const QString suffix = QFileInfo(file).suffix().toLower();
    QByteArray bytes;
    if (suffix == QLatin1String("png")) {
        bytes = pngOf(view, caption);
    } else {
        const PrintStyle light(view);
        if (suffix == QLatin1String("svg")) bytes = svgOf(view, caption);
        if (suffix == QLatin1String("pdf")) bytes = pdfOf(view, caption);
    }
    if (bytes.isEmpty())
        return requestError("export.format",
                            "a picture cannot be written as \"" + suffix.toStdString() + "\"")
            .in(file.toStdString())
            .fix("choose svg, pdf or png");
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        return workError("io.write", out.errorString().toStdString()).in(file.toStdString());
    return {};
}

}  // namespace kurve::views
