#include "views/common/chart/axis_limits.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QJsonArray>
#include <cmath>

namespace kurve::views {

namespace {

const char* const kDateForms[] = {"yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd"};

QString tr(const char* text) {
    return QCoreApplication::translate("AxisLimits", text);
}

std::optional<double> readLimit(const QString& text, LimitForm form) {
    bool ok = false;
    if (form == LimitForm::Number) {
        // Axes show U+2212 as the minus sign.
        const double value = QString(text).replace(QChar(0x2212), QLatin1Char('-')).toDouble(&ok);
        return ok && std::isfinite(value) ? std::optional(value) : std::nullopt;
    }
    for (const char* format : kDateForms)
        if (const auto date = QDateTime::fromString(text, QLatin1String(format)); date.isValid())
            return static_cast<double>(date.toMSecsSinceEpoch()) / 1000;
    return std::nullopt;
}

}  // namespace

QString limitText(std::optional<double> limit, LimitForm form) {
    if (!limit) return {};
    if (form == LimitForm::Number) return QString::number(*limit, 'g', QLocale::FloatingPointShortest);
    return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(*limit * 1000))
        .toString(QLatin1String(kDateForms[0]));
}

ReadLimits readLimits(const QString& from, const QString& to, LimitForm form, LimitValues values) {
    ReadLimits read;
    const auto take = [&](const QString& text, std::optional<double>& limit) {
        if (text.trimmed().isEmpty()) return;
        limit = readLimit(text.trimmed(), form);
        if (!limit && read.problem.isEmpty())
            read.problem = form == LimitForm::Number ? tr("Not a number; write 0.5 or 1e-3")
                                                     : tr("Not a date; write 2026-11-22 14:05");
    };
    take(from, read.limits.from);
    take(to, read.limits.to);
    if (!read.problem.isEmpty()) return read;
    const auto& [low, high] = read.limits;
    if (low && high && *low >= *high) read.problem = tr("“from” must be less than “to”");
    if (values == LimitValues::Positive && ((low && *low <= 0) || (high && *high <= 0)))
        read.problem = tr("A logarithmic axis needs limits above 0");
    return read;
}

QJsonValue saveLimits(const AxisLimits& limits) {
    const auto end = [](std::optional<double> limit) {
        return limit ? QJsonValue(*limit) : QJsonValue(QJsonValue::Null);
    };
    return QJsonArray{end(limits.from), end(limits.to)};
}

AxisLimits limitsOf(const QJsonValue& saved) {
    const QJsonArray ends = saved.toArray();
    const auto end = [&](int i) {
        return ends.at(i).isDouble() ? std::optional(ends.at(i).toDouble()) : std::nullopt;
    };
    const AxisLimits limits{end(0), end(1)};
    const bool reversed = limits.from && limits.to && *limits.from >= *limits.to;
    return reversed ? AxisLimits{} : limits;
}

}  // namespace kurve::views
