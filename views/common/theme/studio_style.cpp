#include "views/common/theme/studio_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
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

// The style sheet draws the texts of choices, buttons and headers itself and clips them at the edge. This is
// its only call to the style below, without the widget.
void StudioStyle::drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette,
                               bool enabled, const QString& text, QPalette::ColorRole role) const {
    const auto* device = painter->device();
    const auto* widget = device != nullptr && device->devType() == QInternal::Widget
                             ? static_cast<const QWidget*>(device)
                             : nullptr;
    const bool header =
        widget != nullptr && qobject_cast<const QHeaderView*>(widget->parentWidget()) != nullptr;
    const bool cut = header || qobject_cast<const QComboBox*>(widget) != nullptr ||
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

}  // namespace kurve::views
