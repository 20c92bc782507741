#include "views/common/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QMap>
#include <QPalette>
#include <QPointer>
#include <QRegularExpression>
#include <QResource>
#include <QStyleFactory>
#include <QStyleHints>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/store/run_style.h"
#include "views/common/shell/panel.h"
#include "views/common/theme/studio_style.h"
#include "views/common/theme/theme_listener.h"

// Q_INIT_RESOURCE declares a symbol: it must stand outside every namespace.
static void initThemeResources() {
    Q_INIT_RESOURCE(theme);
}

namespace kurve::views {

namespace {

constexpr double kBasePixels = 13;  // text height of the interface at 100 %

struct State {
    Theme theme;
    ThemeMode mode = ThemeMode::System;
    ThemeNotifier notifier;
    QHash<QString, int> runStyles;
};
State& state() {
    static State instance;
    return instance;
}

/// One colour of the three themes; style sheets know it as %name%.
struct ThemeColour {
    const char* name;
    QColor Theme::*part;
    QRgb light, dark, contrast;
};
constexpr ThemeColour kColours[] = {
    {"window", &Theme::window, 0xeef0f3, 0x14171c, 0x000000},
    {"surface", &Theme::surface, 0xffffff, 0x1b1f26, 0x000000},
    {"raised", &Theme::raised, 0xf6f7f9, 0x232830, 0x101010},
    {"field", &Theme::field, 0xffffff, 0x15181e, 0x000000},
    {"border", &Theme::border, 0xd5d9e0, 0x343b46, 0xb4b4b4},
    {"text", &Theme::text, 0x1c2330, 0xe4e8ee, 0xffffff},
    {"muted", &Theme::muted, 0x5b6577, 0xa3aebd, 0xe4e4e4},
    {"faint", &Theme::faint, 0x818b9c, 0x768193, 0xbebebe},
    {"grid", &Theme::grid, 0xe6e9ee, 0x2a3039, 0x4c4c4c},
    {"accent", &Theme::accent, 0x2563c9, 0x5b9bf3, 0xffd83d},
    {"accenttext", &Theme::accentText, 0xffffff, 0x0b1524, 0x000000},
    {"selection", &Theme::selection, 0xdbe7fb, 0x25405f, 0x003f9e},
    {"good", &Theme::good, 0x00795a, 0x35c79b, 0x4dffb0},
    {"warn", &Theme::warn, 0x956000, 0xf0b14a, 0xffc266},
    {"bad", &Theme::bad, 0xbf3a00, 0xff8a5c, 0xff9d85},
    {"added", &Theme::added, 0xd2ebff, 0x17405f, 0x00386b},
    {"removed", &Theme::removed, 0xffe3c7, 0x5a3a16, 0x6b2a00},
};

Theme themeOf(bool dark, bool contrast, double scale) {
    Theme t{.dark = dark || contrast, .contrast = contrast, .scale = scale};
    for (const ThemeColour& one : kColours)
        t.*one.part = QColor(contrast ? one.contrast : dark ? one.dark : one.light);
    return t;
}

bool systemIsDark() {
    // Qt 6.4 has no colour-scheme hint: the platform theme's own palette tells.
    static const QPalette original = QGuiApplication::palette();
    return original.color(QPalette::WindowText).lightness() > original.color(QPalette::Window).lightness();
}

QPalette paletteOf(const Theme& t) {
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.field);
    p.setColor(QPalette::AlternateBase, t.raised);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.faint);
    p.setColor(QPalette::Button, t.raised);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.bad);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.accentText);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::Light, t.dark ? t.raised.lighter(120) : QColor(Qt::white));
    p.setColor(QPalette::Midlight, t.raised);
    p.setColor(QPalette::Mid, t.border);
    p.setColor(QPalette::Dark, t.border.darker(110));
    p.setColor(QPalette::Shadow, t.dark ? QColor(0, 0, 0) : t.faint);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, t.faint);
    p.setColor(QPalette::Disabled, QPalette::Base, t.raised);
    return p;
}

QString resourceText(const QString& name) {
    const QResource sheet(QStringLiteral(":/kurve/theme/") + name);
    Q_ASSERT(sheet.isValid());
    return QString::fromUtf8(sheet.uncompressedData());
}

/// Dynamic properties it knows: role = "primary" | "quiet" (buttons), "caption" | "title" | "error" | "hint"
/// | "value" (labels), "card" (frames).
QString styleSheetOf(const Theme& t) {
    QString sheet = resourceText(QStringLiteral("studio.qss"));
    if (t.contrast) sheet += resourceText(QStringLiteral("contrast.qss"));
    // The handle of a slider is as high as its groove and margins make it, and as wide: a radius of more than
    // the half would draw a square.
    const int handle = px(4) + 2 * px(5);
    QMap<QString, QString> values{
        {"accenthover", (t.dark ? t.accent.lighter(112) : t.accent.darker(112)).name()},
        {"mode", t.dark ? QStringLiteral("dark") : QStringLiteral("light")},
        {"handle", QString::number(handle - 2 * px(2))},
        {"handleradius", QString::number(handle / 2)}};
    for (const ThemeColour& one : kColours) values.insert(QLatin1String(one.name), (t.*one.part).name());
    static const QRegularExpression placeholder(QStringLiteral("%(\\w+)%|\\{([\\d.]+)\\}"));
    QString out;
    qsizetype end = 0;
    for (const QRegularExpressionMatch& match : placeholder.globalMatch(sheet)) {
        out += QStringView(sheet).mid(end, match.capturedStart() - end);
        out += match.hasCaptured(2) ? QString::number(std::max(1, px(match.captured(2).toDouble())))
                                    : values.value(match.captured(1));
        end = match.capturedEnd();
    }
    return out.append(QStringView(sheet).mid(end));
}

QFont interfaceFont(double pixels) {
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPixelSize(std::max(9, static_cast<int>(std::lround(pixels * state().theme.scale))));
    return font;
}

}  // namespace

QColor Theme::ramp(double unit) const {
    const double x = std::isfinite(unit) ? std::clamp(unit, 0.0, 1.0) : 0.0;
    const auto mix = [x](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * x)); };
    const QColor strong = contrast ? QColor(0xffffff) : dark ? QColor(0x8ec5ff) : QColor(0x0b4f9e);
    return {mix(surface.red(), strong.red()), mix(surface.green(), strong.green()),
            mix(surface.blue(), strong.blue())};
}

const Theme& theme() {
    return state().theme;
}
ThemeMode themeMode() {
    return state().mode;
}
ThemeNotifier* themeNotifier() {
    return &state().notifier;
}

void applyTheme(ThemeMode mode, double scale) {
    const bool dark = mode == ThemeMode::Dark || (mode == ThemeMode::System && systemIsDark());
    state().mode = mode;
    state().theme = themeOf(dark, mode == ThemeMode::Contrast, std::clamp(scale, 1.0, 3.0));
    // The style is made once; it reads theme() for its metrics.
    static const bool styled = (initThemeResources(), QApplication::setStyle(new StudioStyle), true);
    (void)styled;
    // Each of these restyles every widget: only what changed.
    if (const QFont font = interfaceFont(kBasePixels); font != QApplication::font())
        QApplication::setFont(font);
    QApplication::setPalette(paletteOf(state().theme));
    qApp->setStyleSheet(styleSheetOf(state().theme));
    Q_EMIT state().notifier.changed();
}

int px(double size) {
    return static_cast<int>(std::lround(size * state().theme.scale));
}

QFont smallFont() {
    return interfaceFont(11.5);
}
QFont strongFont() {
    QFont font = interfaceFont(kBasePixels);
    font.setWeight(QFont::DemiBold);
    return font;
}
QFont monoFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(interfaceFont(12).pixelSize());
    return font;
}

QColor categoryColor(int index) {
    // Okabe and Ito (2008) without black and yellow; blue is lifted on dark paper, orange and sky blue are
    // lowered on white, so that every curve has 3 : 1 against the paper.
    static constexpr std::array<QRgb, 6> kLight{0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xBF8400, 0x3A9BD0};
    static constexpr std::array<QRgb, 6> kDark{0x4BA3DD, 0xF0793A, 0x22B98D, 0xDB93BB, 0xE9AE2C, 0x8AD0F5};
    static constexpr std::array<QRgb, 6> kContrast{0x6FC3FF, 0xFF9A5C, 0x3FE0AE,
                                                   0xFFAEDB, 0xFFC940, 0xB5E6FF};
    const auto& colours = theme().contrast ? kContrast : theme().dark ? kDark : kLight;
    return QColor(colours[static_cast<std::size_t>(index) % colours.size()]);
}

QPen RunStyle::pen(double width) const {
    QPen pen(color, width * theme().scale, dash);
    pen.setCapStyle(Qt::RoundCap);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

RunStyle styleAt(int index) {
    static constexpr std::array<Qt::PenStyle, 4> kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine,
                                                         Qt::DashDotLine};
    const store::RunStyle style = store::styleAt(index);
    return {categoryColor(style.colour), kDashes[static_cast<std::size_t>(style.dash)], style.marker};
}

RunStyle runStyle(const QString& runId) {
    auto& styles = state().runStyles;
    if (const auto known = styles.constFind(runId); known != styles.constEnd()) return styleAt(*known);
    const QList<int> taken = styles.values();
    int index = 0;
    while (taken.contains(index)) ++index;
    return styleAt(*styles.insert(runId, index));
}

void setRunStyles(const QHash<QString, int>& styles) {
    const auto before = std::exchange(state().runStyles, styles);
    const bool changed = std::any_of(before.keyBegin(), before.keyEnd(), [&](const QString& id) {
        return styles.contains(id) && styles[id] != before[id];
    });
    if (changed) Q_EMIT state().notifier.changed();
}

ThemeListener::ThemeListener(QObject* owner, std::function<void()> restyle)
    : QObject(owner), restyle_(std::move(restyle)) {
    connect(themeNotifier(), &ThemeNotifier::changed, this, &ThemeListener::restyle);
}

namespace {

QWidget& panelAround(QWidget& view) {
    for (QWidget* at = &view; at != nullptr; at = at->parentWidget())
        if (qobject_cast<Panel*>(at) != nullptr) return *at;
    return view;
}

}  // namespace

PrintTheme::PrintTheme(QWidget& view)
    : view_(view), panel_(panelAround(view)), before_(theme()), sheet_(view.styleSheet()) {
    if (view.testAttribute(Qt::WA_SetPalette)) palette_ = view.palette();
    if (!before_.dark) return;
    panel_.setUpdatesEnabled(false);
    state().theme = themeOf(false, false, before_.scale);
    restyle(paletteOf(theme()), styleSheetOf(theme()) + sheet_);
}

PrintTheme::~PrintTheme() {
    if (!before_.dark) return;
    state().theme = before_;
    restyle(palette_, sheet_);
    panel_.setUpdatesEnabled(true);
}

void PrintTheme::restyle(const QPalette& palette, const QString& sheet) {
    // With a style sheet in force, children inherit a palette only so.
    QCoreApplication::setAttribute(Qt::AA_UseStyleSheetPropagationInWidgetStyles);
    view_.setStyleSheet(sheet);
    view_.setPalette(palette);
    QCoreApplication::setAttribute(Qt::AA_UseStyleSheetPropagationInWidgetStyles, false);
    const auto all = panel_.findChildren<ThemeListener*>();
    for (const auto& listener : QList<QPointer<ThemeListener>>(all.begin(), all.end()))
        if (listener) listener->restyle();  // one before may have built its part anew
}

}  // namespace kurve::views
