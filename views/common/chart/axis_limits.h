#pragma once

#include <QJsonValue>
#include <QString>
#include <cstddef>
#include <optional>

namespace kurve::views {

/// User-set limits of an axis, in values; an end without a number follows the data.
struct AxisLimits {
    std::optional<double> from, to;

    [[nodiscard]] bool any() const { return from || to; }
    bool operator==(const AxisLimits&) const = default;
};

/// Numbers of points outside the axis ranges of a chart.
struct Outside {
    std::size_t left = 0, right = 0, below = 0, above = 0;

    [[nodiscard]] bool any() const { return left + right + below + above > 0; }
    bool operator==(const Outside&) const = default;
};

/// Text form of limits: numbers, or dates ("2026-11-22 14:05", the time may be left out).
enum class LimitForm : unsigned char { Number, Date };
[[nodiscard]] QString limitText(std::optional<double> limit, LimitForm form);
/// The parsed fields, or the error in `problem`. Empty fields are automatic ends.
struct ReadLimits {
    AxisLimits limits;
    QString problem;  ///< empty: fine
};
enum class LimitValues : unsigned char {
    All,
    Positive
};  ///< values the axis can show: log axes only positive ones
[[nodiscard]] ReadLimits readLimits(const QString& from, const QString& to, LimitForm form,
                                    LimitValues values);

/// For the session: [from, to] with null for an automatic end.
[[nodiscard]] QJsonValue saveLimits(const AxisLimits& limits);
[[nodiscard]] AxisLimits limitsOf(const QJsonValue& saved);

}  // namespace kurve::views
