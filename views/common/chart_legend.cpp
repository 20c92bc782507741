#include "views/common/chart_legend.h"

#include <algorithm>

#include "views/common/theme.h"

namespace kurve::views {

namespace {
constexpr std::size_t kMost = 4;
}

ChartLegend::ChartLegend(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::RichText);
    setProperty("role", "caption");
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void ChartLegend::setEntries(std::vector<Entry> entries) {
    entries_ = std::move(entries);
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
    entries_.clear();
    setToolTip({});
    setText(
        QStringLiteral("<span style=\"color:%1\">%2</span>").arg(theme().faint.name(), note.toHtmlEscaped()));
}

QString ChartLegend::textOf(std::size_t count, Names names) const {
    QStringList parts;
    for (std::size_t i = 0; i < count; ++i) {
        const Entry& entry = entries_[i];
        const bool named = names == Names::All || (names == Names::Major && !entry.minor);
        parts << QStringLiteral("<span style=\"color:%1\">%2</span>&nbsp;%3<b>%4</b>")
                     .arg(entry.color.name(), entry.glyph,
                          named && !entry.name.isEmpty()
                              ? entry.name.toHtmlEscaped() + QStringLiteral("&nbsp;")
                              : QString(),
                          entry.value);
    }
    if (count < entries_.size()) parts << tr("+%1").arg(entries_.size() - count);
    return parts.join(QStringLiteral("&nbsp;&nbsp; "));
}

void ChartLegend::fit() {
    if (entries_.empty()) return;
    const auto fits = [this](std::size_t count, Names names) {
        setText(textOf(count, names));
        return sizeHint().width() <= width();
    };
    const std::size_t most = std::min(entries_.size(), kMost);
    for (const Names names : {Names::All, Names::Major, Names::None})
        if (fits(most, names)) return;
    for (std::size_t count = most; count-- > 1;)
        if (fits(count, Names::None)) return;
    if (!fits(1, Names::None)) clear();  // half a number is worse than none
}

void ChartLegend::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

}  // namespace kurve::views
