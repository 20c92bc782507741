// Qt events of the widget, forwarded to ImGui.
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMouseEvent>

#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {
namespace {

constexpr int kSettlingFrames = 1;  // after input: hover and tooltips react one frame late

}  // namespace

void ImGuiWidget::inputArrived() {
    settle_ = kSettlingFrames;
    requestFrame();
}

bool ImGuiWidget::keyArrived(QKeyEvent& event) {
    const bool tab = event.key() == Qt::Key_Tab || event.key() == Qt::Key_Backtab;
    if (tab && !wantsText_) return false;  // moves the focus
    if (!input_.key(event)) return false;
    inputArrived();
    event.setAccepted(wantsText_);  // keys that no field wants go on to the panel and the window
    return true;
}

bool ImGuiWidget::event(QEvent* event) {
    switch (event->type()) {
        case QEvent::ShortcutOverride:
            if (!wantsText_) break;
            event->accept();  // letters typed into a field are text, not commands
            return true;
        case QEvent::KeyPress:
        case QEvent::KeyRelease:
            if (keyArrived(static_cast<QKeyEvent&>(*event))) return true;
            break;
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonRelease:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseMove:
            if (input_.mouse(static_cast<QMouseEvent&>(*event))) inputArrived();
            return true;
        case QEvent::Wheel:
            if (input_.wheel(static_cast<QWheelEvent&>(*event))) inputArrived();
            event->accept();
            return true;
        case QEvent::InputMethod: {
            const QString text = static_cast<QInputMethodEvent&>(*event).commitString();
            if (!text.isEmpty()) input_.text(text), inputArrived();
            event->accept();
            return true;
        }
        case QEvent::FocusOut:
            input_.releaseAll();
            inputArrived();
            break;
        case QEvent::Leave:
            input_.leave();
            inputArrived();
            break;
        case QEvent::FontChange:
        case QEvent::StyleChange:
            restyle();
            break;
        case QEvent::Resize:
            requestFrame();
            break;
        default:
            break;
    }
    return QWidget::event(event);
}

}  // namespace kurve::views
