#pragma once

#include <QColor>
#include <QString>

namespace kurve::views {

/// A number for reading: 4 significant digits, no needless zeros, "NaN", "∞", "–" for a missing value.
[[nodiscard]] QString numberText(double value, int digits = 4);
/// 12,345 with thin spaces between thousands.
[[nodiscard]] QString countText(qint64 value);
/// "0:42", "12:05", "3 h 07 min".
[[nodiscard]] QString durationText(double seconds);
/// A text of people or models as a tool tip: a token such as <s> stands there instead of striking out the
/// rest.
[[nodiscard]] QString plainTip(const QString& text);
/// "410 MB"
[[nodiscard]] QString bytesText(double bytes);
/// "today 15:42", "yesterday 09:10", "21 Nov 15:42"; empty for 0.
[[nodiscard]] QString momentText(double wallSeconds);

/// A run state as people read it ("lost contact"), its glyph (a second channel beside the colour) and colour.
struct StateLook {
    QString text, glyph;
    QColor color;
};
[[nodiscard]] StateLook stateLook(const std::string& state);

}  // namespace kurve::views
