#pragma once

#include <QColor>
#include <QFont>
#include <QHash>
#include <QObject>
#include <QPen>
#include <QString>
#include <QStringList>

namespace kurve::views {

enum class ThemeMode : unsigned char { Light, Dark, System, Contrast };

/// The colours, sizes and fonts that every panel draws with. GUI thread.
struct Theme {
    bool dark = false;
    bool contrast = false;  ///< the high-contrast theme: dark, text at 7 : 1 or more, wide focus frames
    double scale = 1.0;     ///< zoom of the whole interface, 1..3

    QColor window;                   ///< behind panels
    QColor surface;                  ///< panels, tables, plots
    QColor raised;                   ///< headers, toolbars, cards
    QColor field;                    ///< text fields
    QColor border;                   ///< hairlines
    QColor text;                     ///< primary text
    QColor muted;                    ///< labels, units, axis text
    QColor faint;                    ///< placeholders, disabled, grid ticks
    QColor grid;                     ///< plot grid
    QColor accent;                   ///< focus, primary button, playhead
    QColor accentText;               ///< on accent
    QColor selection;                ///< selected row
    QColor good, warn, bad;          ///< states; always with a word or glyph beside them
    QColor added, removed;           ///< word diff backgrounds
    QColor ramp(double unit) const;  ///< single-hue ramp for magnitudes, 0 = surface, 1 = strongest
};

/// The theme in force; a reference that stays valid and changes when themeNotifier() says so.
[[nodiscard]] const Theme& theme();
/// Applies palette, style sheet and fonts to the application. `scale` is clamped to 1..3.
void applyTheme(ThemeMode mode, double scale);
[[nodiscard]] ThemeMode themeMode();

class ThemeNotifier : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
Q_SIGNALS:
    void changed();
};
/// changed(): redraw and re-read sizes.
[[nodiscard]] ThemeNotifier* themeNotifier();

/// Logical pixels at the current zoom.
[[nodiscard]] int px(double size);
/// The spacing steps: use these, no other numbers.
namespace space {
inline constexpr double kTight = 4, kSmall = 8, kMedium = 12, kLarge = 16, kHuge = 24;
}
[[nodiscard]] QFont smallFont();   ///< captions, axis text, table details
[[nodiscard]] QFont strongFont();  ///< section titles
[[nodiscard]] QFont monoFont();    ///< numbers in columns, logs, command lines

/// A store::RunStyle in the current theme: colour (Okabe-Ito), dash and marker.
struct RunStyle {
    QColor color;
    Qt::PenStyle dash = Qt::SolidLine;
    int marker = 0;  ///< 0 disc, 1 square, 2 diamond, 3 triangle, 4 cross, 5 plus
    [[nodiscard]] QPen pen(double width = 1.6) const;
};
/// The style at an index in the order of styles, from 0: for runs in a chart, or groups of them.
[[nodiscard]] RunStyle styleAt(int index);
/// The style that the project's index assigned to the run; the first free one for a run it has not listed
/// yet.
[[nodiscard]] RunStyle runStyle(const QString& runId);
/// The style indices of the project's runs, by id: set by the catalog. themeNotifier() reports changes.
void setRunStyles(const QHash<QString, int>& styles);
/// Colour `index` of the categorical palette in the present theme.
[[nodiscard]] QColor categoryColor(int index);

}  // namespace kurve::views
