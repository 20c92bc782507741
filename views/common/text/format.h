#pragma once

#include <QColor>
#include <QString>
#include <string>

namespace kurve::views {

/// UTF-8.
[[nodiscard]] inline QString qt(const std::string& text) {
    return QString::fromStdString(text);
}
/// A number for reading: 4 significant digits, no needless zeros, "NaN", "∞", "–" for a missing value.
[[nodiscard]] QString numberText(double value, int digits = 4);
/// 12,345 with thin spaces between thousands.
[[nodiscard]] QString countText(qint64 value);
/// "0:42", "12:05", "3 h 07 min".
[[nodiscard]] QString durationText(double seconds);
/// A text of users or models as a tooltip: markup such as <s> is shown, not interpreted.
[[nodiscard]] QString plainTip(const QString& text);
/// "410 MB"
[[nodiscard]] QString bytesText(double bytes);
/// "today 15:42", "yesterday 09:10", "21 Nov 15:42"; empty for 0.
[[nodiscard]] QString momentText(double wallSeconds);

/// Text ("lost contact"), glyph (a second channel beside the colour) and colour of a run state.
struct StateStyle {
    QString text, glyph;
    QColor color;
};
[[nodiscard]] StateStyle stateStyle(const std::string& state);

}  // namespace kurve::views
