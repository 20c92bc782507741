#include "views/common/chart/view_picture.h"

#include <QAbstractScrollArea>
#include <QBuffer>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPageSize>
#include <QPdfWriter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QSvgGenerator>
#include <algorithm>

#include "core/base/file.h"
#include "views/common/chart/clipped_device.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

constexpr int kPdfDotsPerInch = 96;
constexpr double kImageRatio = 2, kPartRatio = 3;
const char* const kLeftOut = "leftOutOfFigures";

/// Whether a widget paints more than is visible: rows, columns and lines that are scrolled away.
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
void drawAsImage(QWidget& widget, QCPPainter& painter, const QPoint& position, const QRect& visible,
                 QWidget::RenderFlags flags) {
    QImage image(visible.size() * kPartRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kPartRatio);
    image.fill(Qt::transparent);
    widget.render(&image, QPoint(), QRegion(visible.translated(-position)), flags);
    painter.drawImage(QRectF(visible), image);
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

bool isCard(const QWidget& widget) {
    return widget.property("role").toString() == QLatin1String("card");
}

/// The rectangles where something is drawn other than a background.
void addFilled(QWidget& widget, const QRect& area, std::vector<QRect>& filled) {
    const bool isWhole = isCard(widget) && !holdsLeftOut(widget);  // one whose tools are left out is cut too
    const bool drawsItself = qobject_cast<QCustomPlot*>(&widget) || dynamic_cast<Exported*>(&widget) ||
                             qobject_cast<QAbstractScrollArea*>(&widget) || isWhole;
    const auto children = widget.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    const bool container = std::any_of(children.begin(), children.end(),
                                       [](const QWidget* child) { return !child->isWindow(); });
    const auto* label = qobject_cast<const QLabel*>(&widget);
    const bool isBlank =
        label != nullptr && label->text().isEmpty() && label->pixmap(Qt::ReturnByValue).isNull();
    if (drawsItself || !container) {
        if (!isBlank) filled.push_back(area);
        return;
    }
    for (QWidget* part : shownParts(widget))
        addFilled(*part, QRect(area.topLeft() + part->pos(), part->size()) & area, filled);
}

/// Rows [from, to) of a view.
struct Rows {
    int from = 0, to = 0;
};

/// What a figure shows of a view.
struct Sheet {
    QRect part;              ///< all, or without the strips at its sides that became empty
    std::vector<Rows> gaps;  ///< rows in it that became empty from side to side; the figure closes them

    [[nodiscard]] int closedAbove(int y) const {
        int rows = 0;
        for (const Rows& gap : gaps) rows += std::clamp(y, gap.from, gap.to) - gap.from;
        return rows;
    }
    /// Maps a position of the view to the figure.
    [[nodiscard]] QPoint map(const QPoint& position) const {
        return position - part.topLeft() - QPoint(0, closedAbove(position.y()));
    }
    [[nodiscard]] QSize size() const { return part.size() - QSize(0, closedAbove(part.bottom())); }
};

/// Where tools stand that figures leave out; those within a card keep its frame whole.
void addToolRows(const QWidget& widget, const QWidget& view, std::vector<Rows>& rows) {
    for (QObject* object : widget.children()) {
        const auto* child = qobject_cast<const QWidget*>(object);
        if (child == nullptr || !child->isVisibleTo(&view) || child->isWindow() || isCard(*child)) continue;
        const int top = child->mapTo(&view, QPoint()).y();
        if (child->property(kLeftOut).toBool())
            rows.push_back({top, top + child->height()});
        else
            addToolRows(*child, view, rows);
    }
}

std::vector<Rows> gapsOf(const QWidget& view, const QRect& part, std::vector<QRect> filled) {
    std::vector<Rows> gaps, tools;
    addToolRows(view, view, tools);
    std::sort(filled.begin(), filled.end(), [](const QRect& a, const QRect& b) { return a.top() < b.top(); });
    const int spacing = px(space::kSmall);
    int below = part.top();
    for (const QRect& area : filled) {
        const Rows gap{below + spacing, area.top()};
        if (below > part.top() && gap.to > gap.from &&
            std::any_of(tools.begin(), tools.end(),
                        [&](const Rows& tool) { return tool.from < gap.to && tool.to > gap.from; }))
            gaps.push_back(gap);
        below = std::max(below, area.bottom() + 1);
    }
    return gaps;
}

Sheet sheetOf(QWidget& view) {
    if (!holdsLeftOut(view)) return {view.rect(), {}};
    std::vector<QRect> filled;
    addFilled(view, view.rect(), filled);
    std::erase_if(filled, [](const QRect& area) { return area.isEmpty(); });
    QRect full;
    for (const QRect& area : filled) full |= area;
    if (full.isEmpty()) return {view.rect(), {}};
    const int margin = px(space::kTight), plain = px(space::kSmall);
    QRect part = full.adjusted(-margin, -margin, margin, margin) & view.rect();
    // What a layout leaves free beside its parts is no strip.
    if (part.left() <= plain) part.setLeft(0);
    if (view.rect().right() - part.right() <= plain) part.setRight(view.rect().right());
    return {part, gapsOf(view, part, std::move(filled))};
}

/// A choice box is there to be used: of it a figure has what is chosen.
void drawChoice(const QComboBox& box, QCPPainter& painter, const QRect& area) {
    painter.setFont(box.font());
    painter.setPen(theme().text);
    painter.drawText(area.adjusted(px(space::kTight), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     box.currentText());
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

/// Draws what is visible of a widget and of what it holds, each by its own means, so that plots stay lines.
/// `at` is its position in the view, of which `clip` is visible.
void drawTree(QWidget& widget, QCPPainter& painter, const QPoint& at, const QRect& clip, const Sheet& sheet) {
    const QRect all(at, widget.size()), visible = all & clip;
    if (visible.isEmpty()) return;
    const bool whole = visible == all && !isScrolled(widget);
    const QPoint position = sheet.map(at);
    const auto drawImage = [&](QWidget::RenderFlags flags) {
        drawAsImage(widget, painter, position, visible.translated(position - at), flags);
    };
    const auto drawWhole = [&](const auto& draw) {
        painter.save();
        painter.translate(position);
        draw();
        painter.restore();
    };
    auto* own = dynamic_cast<Exported*>(&widget);
    if (own != nullptr) own->prepareFigure();
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        return drawChoice(*box, painter, visible.translated(position - at));
    if (auto* plot = qobject_cast<QCustomPlot*>(&widget)) {
        if (whole) return drawWhole([&] { drawPlot(*plot, painter); });
        plot->replot(QCustomPlot::rpQueuedRefresh);  // its picture is of the window's theme still
        return drawImage(QWidget::DrawChildren);
    }
    bool complete = false;
    if (own != nullptr && whole) drawWhole([&] { complete = own->paintVectors(painter); });
    if (complete) return;
    if (whole)
        drawWhole([&] { widget.render(&painter, QPoint(), QRegion(), QWidget::RenderFlags()); });
    else
        drawImage(QWidget::RenderFlags());
    for (QWidget* child : shownParts(widget)) drawTree(*child, painter, at + child->pos(), visible, sheet);
}

int captionHeight(int width, const QString& caption) {
    if (caption.isEmpty()) return 0;
    const QFontMetrics metrics(smallFont());
    return metrics.boundingRect(QRect(0, 0, width - px(16), 10000), Qt::TextWordWrap, caption).height() +
           px(12);
}

QSize sizeOf(QWidget& view, const QString& caption) {
    const QSize size = sheetOf(view).size();
    return size + QSize(0, captionHeight(size.width(), caption));
}

void drawFigure(QWidget& view, QPaintDevice& device, const QString& caption, bool vectors) {
    QCPPainter painter(&device);
    if (vectors) painter.setMode(QCPPainter::pmVectorized);
    painter.setRenderHint(QPainter::Antialiasing);
    // A page holds images as JPEG else: the cells of a matrix would have other colours than its scale.
    painter.setRenderHint(QPainter::LosslessImageRendering);
    const Sheet sheet = sheetOf(view);
    const QSize size = sheet.size();
    const QRect below(0, size.height(), size.width(), captionHeight(size.width(), caption));
    painter.fillRect(QRect(QPoint(), sizeOf(view, caption)), Qt::white);  // as paper
    // What is cut off lies beyond the page, or under the caption's paper.
    drawTree(view, painter, QPoint(), view.rect(), sheet);
    if (size.height() < view.height()) painter.fillRect(below, Qt::white);
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

bool isVector(const QString& format) {
    return format == QLatin1String("svg") || format == QLatin1String("pdf");
}

bool isData(const QString& format) {
    return format == QLatin1String("csv") || format == QLatin1String("json") || format == QLatin1String("md");
}

}  // namespace

void leaveOutOfFigures(QWidget& part, bool on) {
    part.setProperty(kLeftOut, on);
}

void leaveOutOfFigures(std::initializer_list<QWidget*> parts) {
    for (QWidget* part : parts) leaveOutOfFigures(*part);
}

void leaveOutOfFigures(const QLayout& tools) {
    for (int i = 0; i < tools.count(); ++i) {
        QLayoutItem* item = tools.itemAt(i);
        if (item->widget() != nullptr) leaveOutOfFigures(*item->widget());
        if (item->layout() != nullptr) leaveOutOfFigures(*item->layout());
    }
}

QImage viewImage(QWidget& view, const QString& caption) {
    const PrintTheme light(view);
    QImage image(sizeOf(view, caption) * kImageRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kImageRatio);
    drawFigure(view, image, caption, false);
    return image;
}

ViewExport::ViewExport(QWidget& view, const QString& format, const QString& caption)
    : format_(format.toLower()), caption_(caption) {
    if (format_ == QLatin1String("png")) content_ = viewImage(view, caption);
    if (isVector(format_)) {
        const PrintTheme light(view);
        content_ = format_ == QLatin1String("svg") ? svgOf(view, caption) : pdfOf(view, caption);
    }
    if (isData(format_)) content_ = tablesOf(view);
}

bool ViewExport::isEmpty() const {
    return isData(format_) && std::get<std::vector<ViewTable>>(content_).empty();
}

Result<QByteArray> ViewExport::bytes() const {
    if (isVector(format_)) return std::get<QByteArray>(content_);
    if (isData(format_)) return tablesText(std::get<std::vector<ViewTable>>(content_), format_, caption_);
    const auto* image = std::get_if<QImage>(&content_);
    if (image == nullptr)
        return requestError("export.format", "a view cannot be written as \"" + format_.toStdString() + "\"")
            .fix("choose svg, pdf, png, csv, json or md");
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image->save(&buffer, "PNG"))
        return workError("io.write", "the image is too large for this machine's memory")
            .fix("make the view smaller, or export it as svg");
    return bytes;
}

Status ViewExport::write(const QString& file) const {
    KURVE_TRY(const QByteArray bytes, this->bytes());
    return writeFileAtomically(file.toStdString(),
                               {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace kurve::views
