#include "views/common/chart/chart_legend.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/common/text/distinguishing_label.h"
#include "views/common/theme/theme.h"

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
    return names == Names::All ? name
                               : distinguishingLabel(name, all, names == Names::Short ? kShort : kShorter);
}

ChartLegend::Line ChartLegend::spansOf(const Entry& entry, Detail detail, const QStringList& all) const {
    const Names names = detail.names;
    const QString space(QLatin1Char(' '));
    Line spans{{entry.glyph + space, entry.color}};
    if (names != Names::None && !entry.name.isEmpty())
        spans.push_back({shown(entry.name, names, all) + space, theme().muted});
    if (detail.values) spans.push_back({entry.value, theme().muted, true});
    return spans;
}

std::vector<ChartLegend::Line> ChartLegend::linesOf(std::size_t count, Detail detail) const {
    const Span gap{QString(3, QLatin1Char(' ')), theme().muted};
    QStringList all;
    for (const Entry& entry : entries_) all << entry.name;
    std::vector<Line> lines(1);
    const auto add = [&](const Line& spans) {
        Line longer = lines.back();
        if (!longer.empty()) longer.push_back(gap);
        longer.insert(longer.end(), spans.begin(), spans.end());
        if (widthOf(longer) <= width() || lines.back().empty())
            lines.back() = std::move(longer);
        else
            lines.push_back(spans);
    };
    for (std::size_t i = 0; i < count; ++i) add(spansOf(entries_[i], detail, all));
    if (count < entries_.size()) add({{tr("+%1").arg(entries_.size() - count), theme().muted}});
    const bool fits = static_cast<int>(lines.size()) <= mostLines_ &&
                      std::all_of(lines.begin(), lines.end(),
                                  [this](const Line& line) { return widthOf(line) <= width(); });
    return fits ? lines : std::vector<Line>();
}

int ChartLegend::widthWithNames() const {
    QStringList all;
    for (const Entry& entry : entries_) all << entry.name;
    Line line;
    for (std::size_t i = 0; i < std::min(entries_.size(), kMost); ++i) {
        Entry entry = entries_[i];
        entry.value = QStringLiteral("0.0000");
        for (const Span& span : spansOf(entry, {Names::Short}, all)) line.push_back(span);
        if (i > 0) line.push_back({QString(3, QLatin1Char(' ')), {}});
    }
    return widthOf(line);
}

void ChartLegend::setMostLines(int lines) {
    if (std::exchange(mostLines_, lines) == lines) return;
    fit();
    updateGeometry();
}

void ChartLegend::setNamesFirst(bool on) {
    namesFirst_ = on;
    fit();
}

QFont ChartLegend::fontOf(const Span& span) const {
    QFont font = this->font();
    font.setBold(span.strong);
    return font;
}

int ChartLegend::widthOf(const Line& spans) const {
    int width = 0;
    for (const Span& span : spans) width += QFontMetrics(fontOf(span)).horizontalAdvance(span.text);
    return width;
}

void ChartLegend::fit() {
    const std::size_t before = lines_.size();
    lines_.clear();
    update();
    if (entries_.empty()) {
        lines_ = {{{note_, theme().faint}}};
        return;
    }
    const std::size_t most = std::min(entries_.size(), kMost * static_cast<std::size_t>(mostLines_));
    const auto take = [this](std::size_t count, Names names, bool values = true) {
        if (lines_.empty()) lines_ = linesOf(count, {names, values});
    };
    for (const Names names : {Names::All, Names::Short, Names::Shorter}) take(most, names);
    const bool single = entries_.size() == 1 && !namesFirst_;
    if (single) take(1, Names::None);  // a value is never elided
    if (single) return;
    take(most, Names::Short, false);
    for (std::size_t count = most; count > 0; --count) take(count, Names::Shorter, false);
    if (mostLines_ > 1 && lines_.size() != before) updateGeometry();
}

QString ChartLegend::text() const {
    QString text;
    for (const Line& line : lines_)
        for (const Span& span : line) text += span.text;
    return text;
}

QSize ChartLegend::sizeHint() const {
    int widest = 0;
    for (const Line& line : lines_) widest = std::max(widest, widthOf(line));
    return {widest, fontMetrics().height() * std::max(1, static_cast<int>(lines_.size()))};
}

QSize ChartLegend::minimumSizeHint() const {
    return {0, sizeHint().height()};
}

void ChartLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFontMetrics metrics(font());
    const int lines = std::max(1, static_cast<int>(lines_.size())), height = this->height() / lines;
    int top = 0;
    for (const Line& line : lines_) {
        // A note may be too long; entries are chosen to fit, and a text that fits exactly would be elided due
        // to fractional measures.
        const bool whole = widthOf(line) <= width();
        int x = mostLines_ > 1 ? 0 : std::max(0, width() - widthOf(line));
        const int baseline = top + (height + metrics.ascent() - metrics.descent()) / 2;
        for (const Span& span : line) {
            painter.setFont(fontOf(span));
            painter.setPen(span.color);
            painter.drawText(
                x, baseline,
                whole ? span.text : painter.fontMetrics().elidedText(span.text, Qt::ElideRight, width() - x));
            x += painter.fontMetrics().horizontalAdvance(span.text);
        }
        top += height;
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
