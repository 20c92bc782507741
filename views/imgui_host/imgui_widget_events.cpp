// Qt events of the widget, forwarded to ImGui.
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

bool ImGuiWidget::event(QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonRelease:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseMove:
            if (input_.mouse(static_cast<QMouseEvent&>(*event))) inputArrived();
            return true;
        case QEvent::Wheel:
            input_.wheel(static_cast<QWheelEvent&>(*event));
            inputArrived();
            event->accept();
            return true;
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
