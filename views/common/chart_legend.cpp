#include "views/common/chart_legend.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "views/common/telling_name.h"
#include "views/common/theme.h"

namespace kurve::views {

namespace {
constexpr std::size_t kMost = 4;
constexpr int kShort = 20, kShorter = 12;
}  // namespace

ChartLegend::ChartLegend(QWidget* parent) : QWidget(parent) {
    setFont(smallFont());
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ChartLegend::setEntries(std::vector<Entry> entries) {
    if (note_.isNull() && entries == entries_) return;
    entries_ = std::move(entries);
    note_ = QString();
    QString tip;
    for (const Entry& entry : entries_)
        tip += QStringLiteral(
                   "<tr><td style=\"color:%1\">%2</td><td>&nbsp;%3&nbsp;</td><td align=\"right\">"
                   "<b>%4</b></td></tr>")
                   .arg(entry.color.name(), entry.glyph, entry.name.toHtmlEscaped(), entry.value);
    setToolTip(tip.isEmpty() ? QString() : QStringLiteral("<table>%1</table>").arg(tip));
    fit();
}

void ChartLegend::setNote(const QString& note) {
    if (note == note_ && entries_.empty()) return;
    entries_.clear();
    note_ = note;
    setToolTip({});
    fit();
}

QString ChartLegend::shown(const QString& name, Names names, const QStringList& all) {
    return names == Names::All ? name : tellingName(name, all, names == Names::Short ? kShort : kShorter);
}

std::vector<ChartLegend::Piece> ChartLegend::piecesOf(std::size_t count, Names names) const {
    std::vector<Piece> pieces;
    const QString space(QLatin1Char(' ')), gap(3, QLatin1Char(' '));
    QStringList all;
    for (const Entry& entry : entries_) all << entry.name;
    for (std::size_t i = 0; i < count; ++i) {
        const Entry& entry = entries_[i];
        const bool named = names != Names::None && (names != Names::Major || !entry.minor);
        pieces.push_back({(i > 0 ? gap : QString()) + entry.glyph + space, entry.color});
        if (named && !entry.name.isEmpty())
            pieces.push_back({shown(entry.name, names, all) + space, theme().muted});
        pieces.push_back({entry.value, theme().muted, true});
    }
    if (count < entries_.size())
        pieces.push_back({gap + tr("+%1").arg(entries_.size() - count), theme().muted});
    return pieces;
}

QFont ChartLegend::fontOf(const Piece& piece) const {
    QFont font = this->font();
    font.setBold(piece.strong);
    return font;
}

int ChartLegend::widthOf(const std::vector<Piece>& pieces) const {
    int width = 0;
    for (const Piece& piece : pieces) width += QFontMetrics(fontOf(piece)).horizontalAdvance(piece.text);
    return width;
}

void ChartLegend::fit() {
    pieces_.clear();
    update();
    if (entries_.empty()) {
        pieces_.push_back({note_, theme().faint});
        return;
    }
    const auto fits = [this](std::size_t count, Names names) {
        pieces_ = piecesOf(count, names);
        return widthOf(pieces_) <= width();
    };
    const std::size_t most = std::min(entries_.size(), kMost);
    for (const Names names : {Names::All, Names::Short, Names::Shorter, Names::Major, Names::None})
        if (fits(most, names)) return;
    for (std::size_t count = most; count-- > 1;)
        if (fits(count, Names::None)) return;
    if (!fits(1, Names::None)) pieces_.clear();  // half a number is worse than none
}

QString ChartLegend::text() const {
    QString text;
    for (const Piece& piece : pieces_) text += piece.text;
    return text;
}

QSize ChartLegend::sizeHint() const {
    return {widthOf(pieces_), fontMetrics().height()};
}

QSize ChartLegend::minimumSizeHint() const {
    return {0, fontMetrics().height()};
}

void ChartLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFontMetrics metrics(font());
    int x = std::max(0, width() - widthOf(pieces_));
    const int baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
    for (const Piece& piece : pieces_) {
        painter.setFont(fontOf(piece));
        painter.setPen(piece.color);
        painter.drawText(x, baseline, piece.text);
        x += painter.fontMetrics().horizontalAdvance(piece.text);
    }
}

void ChartLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

void ChartLegend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) fit();
}

}  // namespace kurve::views
