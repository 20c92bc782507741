#include "views/common/text/format.h"

#include <QDateTime>
#include <QLocale>
#include <QTextDocument>
#include <cmath>

#include "views/common/theme/theme.h"

namespace kurve::views {

QString numberText(double value, int digits) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    QString text = QString::number(value, 'g', digits);
    if (std::abs(value) >= 1e4 && std::abs(value) < 1e9) text = QString::number(value, 'f', 0);
    text.replace(QLatin1Char('-'), QChar(0x2212));
    return text;
}

QString countText(qint64 value) {
    QString digits = QString::number(value);
    for (qsizetype i = digits.size() - 3; i > (value < 0 ? 1 : 0); i -= 3) digits.insert(i, QChar(0x2009));
    return digits;
}

QString durationText(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return QStringLiteral("–");
    const auto whole = static_cast<qint64>(std::lround(seconds));
    const auto two = [](qint64 n) { return QStringLiteral("%1").arg(n, 2, 10, QLatin1Char('0')); };
    if (whole < 3600) return QStringLiteral("%1:%2").arg(whole / 60).arg(two(whole % 60));
    if (whole < 86400) return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(two(whole / 60 % 60));
    return QStringLiteral("%1 d %2 h").arg(whole / 86400).arg(two(whole / 3600 % 24));
}

QString plainTip(const QString& text) {
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

QString bytesText(double bytes) {
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        ++unit;
    }
    return QStringLiteral("%1 %2").arg(QString::number(bytes, 'f', unit == 0 || bytes >= 10 ? 0 : 1),
                                       QLatin1String(kUnits[unit]));
}

QString momentText(double wallSeconds) {
    if (wallSeconds <= 0) return {};
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(wallSeconds * 1000));
    const qint64 days = time.date().daysTo(QDate::currentDate());
    const QString clock = time.toString(QStringLiteral("HH:mm"));
    if (days == 0) return QStringLiteral("today %1").arg(clock);
    if (days == 1) return QStringLiteral("yesterday %1").arg(clock);
    return QLocale::c().toString(time,
                                 days < 300 ? QStringLiteral("d MMM HH:mm") : QStringLiteral("d MMM yyyy"));
}

StateStyle stateStyle(const std::string& state) {
    const Theme& t = theme();
    struct Row {
        const char *id, *text, *glyph;
        QColor color;
    };
    const Row rows[] = {
        {"running", "running", "▶", t.accent},    {"starting", "starting", "▷", t.accent},
        {"paused", "paused", "❚❚", t.warn},       {"pausing", "pausing", "❚❚", t.warn},
        {"stopping", "stopping", "◼", t.warn},    {"completed", "completed", "✓", t.good},
        {"cancelled", "cancelled", "◻", t.muted}, {"failed", "failed", "✕", t.bad},
        {"crashed", "crashed", "✕", t.bad},       {"lost_contact", "lost contact", "?", t.bad},
    };
    for (const Row& row : rows)
        if (state == row.id) return {QString::fromUtf8(row.text), QString::fromUtf8(row.glyph), row.color};
    return {QString::fromStdString(state), QStringLiteral("•"), t.muted};
}

}  // namespace kurve::views
