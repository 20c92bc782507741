#include "views/common/text/elided_label.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/common/theme/theme.h"

namespace kurve::views {

ElidedLabel::ElidedLabel(const char* role, QWidget* parent) : QLabel(parent) {
    setProperty("role", QLatin1String(role));
    setTextFormat(Qt::PlainText);
    const bool caption = qstrcmp(role, "caption") == 0;
    setSizePolicy(caption ? QSizePolicy::Ignored : QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void ElidedLabel::setTexts(const QString& title, const QStringList& parts) {
    QStringList told = parts;
    told.removeAll(QString());
    if (title == title_ && told == parts_) return;
    const QSize before = sizeHint();
    title_ = title;
    parts_ = std::move(told);
    QLabel::setText(title_ + rest(0));
    setAccessibleName(text());
    if (sizeHint() != before) updateGeometry();
    fit();
}

void ElidedLabel::setAbout(const QString& about) {
    about_ = about;
    fit();
}

QString ElidedLabel::rest(qsizetype from) const {
    return from < parts_.size() ? QLatin1Char(' ') + parts_.mid(from).join(tr(" · ")) : QString();
}

QFont ElidedLabel::plainFont() const {
    QFont plain = font();
    plain.setWeight(QFont::Normal);
    return plain;
}

int ElidedLabel::widthOf(const QString& rest) const {
    return fontMetrics().horizontalAdvance(title_) + QFontMetrics(plainFont()).horizontalAdvance(rest);
}

void ElidedLabel::fit() {
    constexpr double kLeast = 48;  // of a readable title
    qsizetype from = 0;
    while (from + 1 < parts_.size() && widthOf(rest(from)) > width()) ++from;
    const int available = width() - QFontMetrics(plainFont()).horizontalAdvance(rest(from));
    const bool both = widthOf(rest(from)) <= width() || available >= px(kLeast);
    shownRest_ = both ? rest(from) : QString();
    const int left = both ? available : width();
    shownTitle_ = fontMetrics().horizontalAdvance(title_) <= left
                      ? title_
                      : fontMetrics().elidedText(title_, Qt::ElideRight, left);
    QStringList tip;
    if (shownText() != text()) tip << text();
    if (!about_.isEmpty()) tip << about_;
    setToolTip(tip.join(QLatin1Char('\n')));
    update();
}

QString ElidedLabel::shownText() const {
    return shownTitle_ + shownRest_;
}

QSize ElidedLabel::sizeHint() const {
    return {widthOf(rest(0)) + 1, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const bool caption = sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
    return {caption ? 0 : std::min(px(60), widthOf({})), fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const int baseline = (height() + fontMetrics().ascent() - fontMetrics().descent()) / 2;
    const int titleWidth = fontMetrics().horizontalAdvance(shownTitle_);
    const int all = titleWidth + QFontMetrics(plainFont()).horizontalAdvance(shownRest_);
    const int left = alignment().testFlag(Qt::AlignRight) ? std::max(0, width() - all) : 0;
    painter.setPen(palette().color(foregroundRole()));
    painter.setFont(font());
    painter.drawText(left, baseline, shownTitle_);
    painter.setFont(plainFont());
    painter.drawText(left + titleWidth, baseline, shownRest_);
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

}  // namespace kurve::views
