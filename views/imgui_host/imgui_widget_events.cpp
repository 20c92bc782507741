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

bool ImGuiWidget::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && wantsText_) {
        event->accept();  // letters typed into a field are text, not commands
        return true;
    }
    // Qt would move the focus on Tab before keyPressEvent sees it.
    if (event->type() == QEvent::KeyPress && wantsText_) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Tab || key->key() == Qt::Key_Backtab) {
            keyPressEvent(key);
            return true;
        }
    }
    return QWidget::event(event);
}

void ImGuiWidget::resizeEvent(QResizeEvent*) {
    requestFrame();
}

void ImGuiWidget::mousePressEvent(QMouseEvent* event) {
    if (input_.mouse(*event)) inputArrived();
}
void ImGuiWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    if (input_.mouse(*event)) inputArrived();
}
void ImGuiWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (input_.mouse(*event)) inputArrived();
}
void ImGuiWidget::mouseMoveEvent(QMouseEvent* event) {
    if (input_.mouse(*event)) inputArrived();
}

void ImGuiWidget::wheelEvent(QWheelEvent* event) {
    if (input_.wheel(*event)) inputArrived();
    event->accept();
}

void ImGuiWidget::keyPressEvent(QKeyEvent* event) {
    if (!input_.key(*event)) return QWidget::keyPressEvent(event);
    inputArrived();
    // Keys that no field wants go on to the panel and the window.
    if (!wantsText_) event->ignore();
}

void ImGuiWidget::keyReleaseEvent(QKeyEvent* event) {
    if (!input_.key(*event)) return QWidget::keyReleaseEvent(event);
    inputArrived();
    if (!wantsText_) event->ignore();
}

void ImGuiWidget::inputMethodEvent(QInputMethodEvent* event) {
    if (!event->commitString().isEmpty()) {
        input_.text(event->commitString());
        inputArrived();
    }
    event->accept();
}

void ImGuiWidget::focusOutEvent(QFocusEvent* event) {
    input_.releaseAll();
    inputArrived();
    QWidget::focusOutEvent(event);
}

void ImGuiWidget::leaveEvent(QEvent*) {
    input_.leave();
    inputArrived();
}

void ImGuiWidget::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) restyle();
    QWidget::changeEvent(event);
}

}  // namespace kurve::views
