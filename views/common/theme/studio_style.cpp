#include "views/common/theme/studio_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QTabBar>

namespace kurve::views {

StudioStyle::StudioStyle() : QProxyStyle(QStringLiteral("fusion")) {}

int StudioStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_SmallIconSize:
        case PM_ButtonIconSize:
        case PM_ListViewIconSize:
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
            return px(15);
        case PM_ToolBarIconSize:
            return px(18);
        case PM_ScrollBarExtent:
            return px(11);
        case PM_DockWidgetSeparatorExtent:
        case PM_SplitterWidth:
            return px(5);
        case PM_TreeViewIndentation:
            return px(16);
        case PM_SliderThickness:
        case PM_SliderLength:
            return px(16);
        case PM_LayoutHorizontalSpacing:
            return px(space::kSmall);
        case PM_LayoutVerticalSpacing:
            return px(6);
        case PM_FocusFrameHMargin:
        case PM_FocusFrameVMargin:
            return px(2);
        default:
            return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int StudioStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* data) const {
    if (hint == SH_ToolTip_WakeUpDelay) return 350;
    if (hint == SH_Slider_AbsoluteSetButtons) return Qt::LeftButton;  // a click on the track goes there
    return QProxyStyle::styleHint(hint, option, widget, data);
}

// The style sheet draws the texts of choices and buttons itself and clips them at the edge. This is its only
// call to the style below, without the widget.
void StudioStyle::drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette,
                               bool enabled, const QString& text, QPalette::ColorRole role) const {
    const auto* device = painter->device();
    const auto* widget = device != nullptr && device->devType() == QInternal::Widget
                             ? static_cast<const QWidget*>(device)
                             : nullptr;
    const bool cut = qobject_cast<const QComboBox*>(widget) != nullptr ||
                     qobject_cast<const QPushButton*>(widget) != nullptr;
    const bool fits = painter->fontMetrics().size(flags, text).width() <= rect.width() + px(2);
    const QString shown =
        cut && !fits ? painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width(), flags) : text;
    QProxyStyle::drawItemText(painter, rect, flags, palette, enabled, shown, role);
}

QIcon StudioStyle::standardIcon(StandardPixmap icon, const QStyleOption* option,
                                const QWidget* widget) const {
    if (icon != SP_LineEditClearButton) return QProxyStyle::standardIcon(icon, option, widget);
    return QIcon(theme().dark ? QStringLiteral(":/kurve/icons/dark/clear.svg")
                              : QStringLiteral(":/kurve/icons/light/clear.svg"));
}

namespace {

bool isOnPage(const QWidget& control) {
    for (const QWidget* at = control.parentWidget(); at != nullptr; at = at->parentWidget())
        if (qobject_cast<const QScrollArea*>(at) != nullptr) return true;
    return false;
}

}  // namespace

namespace {

/// Whether the wheel sets it.
bool turns(const QWidget& widget) {
    return qobject_cast<const QComboBox*>(&widget) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
           qobject_cast<const QSlider*>(&widget) != nullptr ||
           qobject_cast<const QTabBar*>(&widget) != nullptr;
}

/// The list of proposals under a line edit.
bool isCompletion(const QWidget& widget) {
    return widget.windowType() == Qt::Popup && qobject_cast<const QAbstractItemView*>(&widget) != nullptr &&
           qobject_cast<const QLineEdit*>(widget.focusProxy()) != nullptr;
}

/// A press beside the list only closes it.
void passOn(const QWidget& list, const QMouseEvent& press) {
    if (list.rect().contains(press.position().toPoint())) return;
    auto* button = qobject_cast<QAbstractButton*>(QApplication::widgetAt(press.globalPosition().toPoint()));
    if (button != nullptr) QMetaObject::invokeMethod(button, &QAbstractButton::click, Qt::QueuedConnection);
}

}  // namespace

void StudioStyle::polish(QApplication* application) {
    QProxyStyle::polish(application);
    application->installEventFilter(this);  // before those of a completer, which consume the press
}

void StudioStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (turns(*widget) && widget->focusPolicy() == Qt::WheelFocus) widget->setFocusPolicy(Qt::StrongFocus);
}

bool StudioStyle::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel && event->type() != QEvent::MouseButtonPress) return false;
    const auto* control = qobject_cast<QWidget*>(watched);
    if (control == nullptr) return false;
    if (event->type() == QEvent::MouseButtonPress) {
        if (isCompletion(*control)) passOn(*control, static_cast<const QMouseEvent&>(*event));
        return false;
    }
    if (!turns(*control)) return false;
    const bool number = qobject_cast<const QAbstractSpinBox*>(control) != nullptr ||
                        qobject_cast<const QSlider*>(control) != nullptr;
    if ((number && control->hasFocus()) || !isOnPage(*control)) return false;
    event->ignore();  // the page gets it
    return true;
}

QString studioStyleSheet(const Theme& t) {
    // %name% colours and {n} sizes are replaced below: a style sheet has no variables of its own.
    QString sheet = QStringLiteral(R"(
QToolTip { background: %raised%; color: %text%; border: 1px solid %border%; padding: {5}px; }
QMainWindow, QDialog { background: %window%; }
QMainWindow::separator { background: %window%; width: {5}px; height: {5}px; }
QMainWindow::separator:hover { background: %accent%; }
QSplitter::handle { background: %window%; }
QSplitter::handle:hover { background: %accent%; }
QDockWidget { color: %muted%; titlebar-close-icon: none; }
QDockWidget::title { background: %raised%; padding: {6}px {10}px; border-bottom: 1px solid %border%; }
QMenuBar { background: %raised%; border-bottom: 1px solid %border%; }
QMenuBar::item { padding: {5}px {10}px; background: transparent; }
QMenuBar::item:selected, QMenu::item:selected { background: %selection%; color: %text%; }
QMenu { background: %surface%; border: 1px solid %border%; padding: {4}px; }
QMenu::item { padding: {5}px {24}px {5}px {24}px; border-radius: {4}px; }
QMenu::item:disabled { color: %faint%; }
QMenu::separator { height: 1px; background: %border%; margin: {4}px {8}px; }
QStatusBar { background: %raised%; border-top: 1px solid %border%; color: %muted%; }
QStatusBar::item { border: none; }
QFrame[role="card"], QWidget[role="card"] { background: %surface%; border: 1px solid %border%; border-radius: {6}px; }
QWidget[role="surface"], QScrollArea[role="surface"] > QWidget > QWidget[role="surface"] { background: %surface%; }
QWidget[role="bar"] { background: %raised%; border-bottom: 1px solid %border%; }
QWidget[role="footer"] { background: %raised%; border-top: 1px solid %border%; }
QLabel[role="caption"] { color: %muted%; font-size: {11.5}px; }
QLabel[role="hint"] { color: %muted%; font-size: {11.5}px; }
QLabel[role="error"] { color: %bad%; font-size: {11.5}px; }
QLabel[role="warn"] { color: %warn%; }
QLabel[role="panehead"] { color: %muted%; background: %raised%; border-bottom: 1px solid %border%; padding: {6}px {12}px; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="headline"] { font-size: {17}px; font-weight: 600; }
QLabel[role="section"] { color: %muted%; font-size: {11}px; font-weight: 600; letter-spacing: {0.6}px; }
QPushButton, QToolButton { background: %raised%; border: 1px solid %border%; border-radius: {5}px; padding: {4}px {11}px; min-height: {18}px; }
QPushButton { outline: none; }
QPushButton:hover, QToolButton:hover { border-color: %faint%; background: %surface%; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked, QPushButton:checked { background: %selection%; border-color: %accent%; }
QPushButton:focus, QToolButton:focus { border-color: %accent%; }
QPushButton:disabled, QToolButton:disabled { color: %faint%; background: transparent; }
QPushButton[role="primary"], QToolButton[role="primary"] { background: %accent%; color: %accenttext%; border-color: %accent%; font-weight: 600; }
QPushButton[role="primary"]:hover, QToolButton[role="primary"]:hover { background: %accenthover%; }
QPushButton[role="primary"]:disabled, QToolButton[role="primary"]:disabled { background: %border%; border-color: %border%; color: %faint%; }
QPushButton[role="quiet"], QToolButton[role="quiet"] { background: transparent; border-color: transparent; padding: {3}px {7}px; }
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover { background: %selection%; }
QPushButton[role="quiet"]:checked, QToolButton[role="quiet"]:checked { background: %selection%; color: %text%; border-color: %accent%; }
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus { border-color: %accent%; }
QPushButton[role="group"] { background: transparent; border: none; border-bottom: 1px solid %grid%; border-radius: 0; font-weight: 600; padding: {5}px {2}px; text-align: left; }
QPushButton[role="group"]:hover, QPushButton[role="group"]:checked { background: transparent; color: %text%; border-color: %grid%; }
QPushButton[role="group"]:focus { color: %accent%; }
QToolButton[role="mini"] { background: transparent; border: 1px solid transparent; color: %muted%; padding: {1}px {4}px; min-height: {14}px; font-size: {11}px; }
QToolButton[role="mini"]:hover { color: %text%; background: %selection%; }
QToolButton[role="mini"]:checked { color: %text%; background: %selection%; border-color: %accent%; }
QToolButton[role="mini"]:focus { border-color: %accent%; }
QPushButton[role="link"] { background: transparent; border: none; color: %accent%; padding: {2}px {2}px; text-align: left; }
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="workspace"] { background: transparent; border: none; border-radius: 0; border-bottom: {2}px solid transparent; color: %muted%; padding: {6}px {14}px; font-weight: 600; }
QPushButton[role="workspace"]:hover { color: %text%; }
QPushButton[role="workspace"]:checked { color: %text%; border-bottom-color: %accent%; }
QPushButton[role="workspace"]:focus { border-bottom-color: %faint%; }
QPushButton[role="workspace"]:checked:focus { border-bottom-color: %accent%; }
QPushButton[role="project"] { background: transparent; border: none; border-bottom: {2}px solid transparent; padding: {6}px 0px; font-weight: 700; text-align: left; }
QPushButton[role="project"]:hover, QPushButton[role="project"]:focus { border-bottom-color: %faint%; }
QPushButton[role="search"] { background: %field%; color: %muted%; text-align: left; padding: {4}px {12}px; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit, QAbstractSpinBox {
  background: %field%; border: 1px solid %border%; border-radius: {4}px; padding: {3}px {6}px; selection-background-color: %accent%; selection-color: %accenttext%; }
QLineEdit, QComboBox, QAbstractSpinBox { min-height: {19}px; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: %accent%; }
QLineEdit[invalid="true"], QComboBox[invalid="true"] { border-color: %bad%; }
QLineEdit:disabled, QComboBox:disabled { color: %muted%; background: %raised%; }
QLineEdit:read-only { background: %raised%; }
QLineEdit > QToolButton, QLineEdit > QToolButton:hover, QLineEdit > QToolButton:pressed { background: transparent; border: none; padding: 0; min-height: 0; }
QFileDialog QToolButton { padding: 0; min-height: 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: {16}px; }
QPushButton::menu-indicator, QToolButton::menu-indicator { image: url(:/kurve/icons/%mode%/chevron-down.svg); width: {9}px; height: {9}px; subcontrol-origin: padding; subcontrol-position: right center; right: {2}px; }
QAbstractSpinBox::up-arrow { image: url(:/kurve/icons/%mode%/chevron-up.svg); width: {8}px; height: {8}px; }
QAbstractSpinBox::down-arrow { image: url(:/kurve/icons/%mode%/chevron-down.svg); width: {8}px; height: {8}px; }
QComboBox::drop-down { border: none; width: {20}px; }
QComboBox::down-arrow { image: url(:/kurve/icons/%mode%/chevron-down.svg); width: {10}px; height: {10}px; }
QComboBox QAbstractItemView { background: %surface%; border: 1px solid %border%; selection-background-color: %selection%; selection-color: %text%; outline: none; }
QCheckBox { spacing: {7}px; }
QCheckBox::indicator { width: {14}px; height: {14}px; border: 1px solid %faint%; border-radius: {3}px; background: %field%; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: %accent%; }
QCheckBox::indicator:checked { background: %accent%; border-color: %accent%; image: url(:/kurve/icons/%mode%/check.svg); }
QCheckBox::indicator:disabled { border-color: %border%; background: %raised%; }
QAbstractItemView { background: %surface%; alternate-background-color: %surface%; border: none; outline: none; selection-background-color: %selection%; selection-color: %text%; }
QTableView { gridline-color: %grid%; }
QTableView::item, QTreeView::item, QListView::item { padding: {2}px {5}px; border: 1px solid transparent; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: %selection%; color: %text%; }
QTableView::item:focus { border: 1px solid %accent%; }
QHeaderView { background: %surface%; border: none; }
QHeaderView::section { background: %surface%; color: %muted%; border: none; border-bottom: 1px solid %border%; padding: {4}px {6}px; font-size: {11.5}px; }
QHeaderView::section:hover { color: %text%; }
QTabWidget::pane { border: none; border-top: 1px solid %border%; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: %muted%; padding: {6}px {12}px; border: none; border-bottom: {2}px solid transparent; }
QTabWidget QTabBar::tab { padding: {6}px {8}px; }
QTabBar::tab:selected { color: %text%; border-bottom-color: %accent%; }
QTabBar::tab:hover { color: %text%; }
QTabBar::scroller { width: {40}px; }
QTabBar QToolButton { background: %surface%; border: 1px solid transparent; padding: 0; min-height: 0; }
QTabBar QToolButton::left-arrow { image: url(:/kurve/icons/%mode%/chevron-left.svg); width: {12}px; height: {12}px; }
QTabBar QToolButton::right-arrow { image: url(:/kurve/icons/%mode%/chevron-right.svg); width: {12}px; height: {12}px; }
QTabBar QToolButton::left-arrow:disabled, QTabBar QToolButton::right-arrow:disabled { image: none; }
QScrollArea { border: none; background: transparent; }
QAbstractScrollArea::corner, QTableCornerButton::section { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: {11}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: {11}px; margin: 0; }
QScrollBar::handle { background: %border%; border-radius: {4}px; margin: {2}px; }
QScrollBar::handle:vertical { min-height: {28}px; } QScrollBar::handle:horizontal { min-width: {28}px; }
QScrollBar::handle:hover { background: %faint%; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: %border%; border: none; border-radius: {3}px; max-height: {6}px; min-height: {6}px; }
QProgressBar::chunk { background: %accent%; border-radius: {3}px; }
QSlider { min-height: {20}px; }
QSlider::groove:horizontal { height: {4}px; background: %border%; border-radius: {2}px; }
QSlider::sub-page:horizontal { background: %accent%; border-radius: {2}px; }
QSlider::sub-page:horizontal:disabled { background: %border%; }
QSlider::handle:horizontal { background: %surface%; border: {2}px solid %accent%; width: %handle%px; margin: -{5}px 0; border-radius: %handleradius%px; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: %accent%; }
QSlider::handle:horizontal:disabled { border-color: %border%; background: %raised%; }
)");
    // With high contrast the focus and the selection must stand out.
    if (t.contrast)
        sheet += QStringLiteral(R"(
QPushButton, QToolButton, QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit, QCheckBox::indicator { border-width: {2}px; }
QPushButton[role="primary"]:focus, QToolButton[role="primary"]:focus { border-color: %text%; }
QPushButton[role="primary"]:disabled, QToolButton[role="primary"]:disabled { background: transparent; border-color: %faint%; color: %muted%; }
QPushButton[role="link"]:focus { text-decoration: underline; }
QPushButton[role="workspace"]:checked { border-bottom: {3}px solid %accent%; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected, QMenu::item:selected, QMenuBar::item:selected { border: 1px solid %accent%; }
QScrollBar::handle { background: %muted%; }
QSlider::groove:horizontal { background: %faint%; }
QProgressBar { background: %grid%; }
)");
    const QColor hover = t.dark ? t.accent.lighter(112) : t.accent.darker(112);
    const std::pair<const char*, QColor> colours[] = {{"window", t.window},
                                                      {"surface", t.surface},
                                                      {"raised", t.raised},
                                                      {"field", t.field},
                                                      {"border", t.border},
                                                      {"text", t.text},
                                                      {"muted", t.muted},
                                                      {"faint", t.faint},
                                                      {"grid", t.grid},
                                                      {"accent", t.accent},
                                                      {"accenttext", t.accentText},
                                                      {"selection", t.selection},
                                                      {"bad", t.bad},
                                                      {"warn", t.warn},
                                                      {"accenthover", hover}};
    for (const auto& [name, colour] : colours)
        sheet.replace(QStringLiteral("%%1%").arg(QLatin1String(name)), colour.name());
    sheet.replace(QStringLiteral("%mode%"), t.dark ? QStringLiteral("dark") : QStringLiteral("light"));
    // As high as its groove and margins make it, and as wide: a radius of more than the half would draw a
    // square.
    const int handle = px(4) + 2 * px(5);
    sheet.replace(QStringLiteral("%handle%"), QString::number(handle - 2 * px(2)));
    sheet.replace(QStringLiteral("%handleradius%"), QString::number(handle / 2));
    QString out;
    out.reserve(sheet.size());
    // {number}px: only braces that hold a number alone are sizes, the others are the style sheet's own.
    for (qsizetype i = 0; i < sheet.size(); ++i) {
        if (sheet[i] == QLatin1Char('{')) {
            const qsizetype end = sheet.indexOf(QLatin1Char('}'), i);
            bool isNumber = false;
            const double value = QStringView(sheet).mid(i + 1, end - i - 1).toDouble(&isNumber);
            if (isNumber) {
                out += QString::number(std::max(1, px(value)));
                i = end;
                continue;
            }
        }
        out += sheet[i];
    }
    return out;
}

}  // namespace kurve::views
