#include "views/imgui_host/imgui_input.h"

#include <imgui.h>

#include <QMouseEvent>
#include <QWheelEvent>
#include <bitset>
#include <cfloat>
#include <iterator>

namespace kurve::views {
namespace {

const QList<Qt::MouseButton> kButtons{Qt::LeftButton, Qt::RightButton, Qt::MiddleButton};  // ImGui's order

}  // namespace

struct ImGuiInput::FrameState {
    std::bitset<ImGuiMouseButton_COUNT> buttons;
    bool done = false;
};

bool ImGuiInput::mouse(const QMouseEvent& event) {
    const auto x = static_cast<float>(event.position().x()), y = static_cast<float>(event.position().y());
    if (event.type() == QEvent::MouseMove) {
        // Only the last of several moves in a row matters.
        if (!queue_.empty() && queue_.back().kind == Item::Kind::Move) queue_.pop_back();
        queue_.push_back({Item::Kind::Move, x, y, 0, false, event.modifiers()});
        return true;
    }
    const auto button = static_cast<int>(kButtons.indexOf(event.button()));
    if (button < 0) return false;
    // Qt delivers the second press of a double click as MouseButtonDblClick; for ImGui it is a press like any
    // other.
    const bool down = event.type() != QEvent::MouseButtonRelease;
    queue_.push_back({Item::Kind::Button, x, y, button, down, event.modifiers()});
    return true;
}

void ImGuiInput::wheel(const QWheelEvent& event) {
    const float steps = static_cast<float>(event.angleDelta().y()) / 120.0F;
    queue_.push_back({.kind = Item::Kind::Wheel, .y = steps, .modifiers = event.modifiers()});
}

void ImGuiInput::leave() {
    queue_.push_back({Item::Kind::Move, -FLT_MAX, -FLT_MAX});
}

void ImGuiInput::releaseAll() {
    queue_.push_back({Item::Kind::Release});
}

bool ImGuiInput::fits(const Item& item, const FrameState& frame) {
    return item.kind == Item::Kind::Button ? !frame.buttons[static_cast<std::size_t>(item.button)]
                                           : frame.buttons.none();
}

void ImGuiInput::applyItem(const Item& item, ImGuiIO& io, FrameState& frame) {
    switch (item.kind) {
        case Item::Kind::Move:
            io.MousePos = {item.x, item.y};
            break;
        case Item::Kind::Button:
            io.MousePos = {item.x, item.y};
            io.MouseDown[item.button] = item.down;
            frame.buttons.set(static_cast<std::size_t>(item.button));
            break;
        case Item::Kind::Wheel:
            io.MouseWheel += item.y;
            break;
        case Item::Kind::Release:
            std::fill(std::begin(io.MouseDown), std::end(io.MouseDown), false);
            frame.done = true;
            break;
    }
    io.KeyCtrl = item.modifiers.testFlag(Qt::ControlModifier);
    io.KeyShift = item.modifiers.testFlag(Qt::ShiftModifier);
}

bool ImGuiInput::apply(ImGuiIO& io) {
    FrameState frame;
    while (!queue_.empty() && !frame.done && fits(queue_.front(), frame)) {
        applyItem(queue_.front(), io, frame);
        queue_.pop_front();
    }
    return !queue_.empty();
}

}  // namespace kurve::views
