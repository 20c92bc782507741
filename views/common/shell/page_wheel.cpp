#include "views/common/shell/page_wheel.h"

#include <QApplication>
#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>

namespace kurve::views {

namespace {

/// The scroll bar of the nearest page around it that can scroll; null: none.
QScrollBar* barOfPage(const QWidget& view) {
    for (QWidget* at = view.parentWidget(); at != nullptr; at = at->parentWidget())
        if (const auto* page = qobject_cast<QScrollArea*>(at);
            page != nullptr && page->verticalScrollBar()->maximum() > page->verticalScrollBar()->minimum())
            return page->verticalScrollBar();
    return nullptr;
}

}  // namespace

PageWheel::PageWheel(QWidget& view, const QWidget& keys) : QObject(&view), keys_(keys) {
    view.installEventFilter(this);
}

bool PageWheel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel) return false;
    const auto* wheel = static_cast<QWheelEvent*>(event);
    const bool modified = (wheel->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) != 0;
    const QWidget* focus = QApplication::focusWidget();
    const bool focused = focus != nullptr && (focus == &keys_ || keys_.isAncestorOf(focus));
    QScrollBar* bar = modified || focused ? nullptr : barOfPage(static_cast<QWidget&>(*watched));
    if (bar == nullptr) return false;
    QCoreApplication::sendEvent(bar, event);
    event->accept();
    return true;
}

}  // namespace kurve::views
