#include "views/imgui_host/imgui_input.h"

#include <imgui.h>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <bitset>
#include <cfloat>
#include <iterator>

#include "views/imgui_host/imgui_version.h"

namespace kurve::views {
namespace {

constexpr int kKeyCount = 512;

const QList<Qt::MouseButton> kButtons{Qt::LeftButton, Qt::RightButton, Qt::MiddleButton};  // ImGui's order

bool printable(const QString& text) {
    return !text.isEmpty() && text.at(0).isPrint();
}

}  // namespace

struct ImGuiInput::FrameState {
    std::bitset<kKeyCount> keys;
    std::bitset<ImGuiMouseButton_COUNT> buttons;
    bool done = false;
};

int ImGuiInput::keyIndexOf(int qtKey) {
    if (qtKey >= 0 && qtKey < 256) return qtKey;
    if ((qtKey & 0x01000000) != 0) return 256 + (qtKey & 0xFF);
    return -1;
}

void ImGuiInput::mapKeys(ImGuiIO& io) {
    const std::pair<int, int> pairs[] = {{ImGuiKey_Tab, Qt::Key_Tab},
                                         {ImGuiKey_LeftArrow, Qt::Key_Left},
                                         {ImGuiKey_RightArrow, Qt::Key_Right},
                                         {ImGuiKey_UpArrow, Qt::Key_Up},
                                         {ImGuiKey_DownArrow, Qt::Key_Down},
                                         {ImGuiKey_PageUp, Qt::Key_PageUp},
                                         {ImGuiKey_PageDown, Qt::Key_PageDown},
                                         {ImGuiKey_Home, Qt::Key_Home},
                                         {ImGuiKey_End, Qt::Key_End},
                                         {ImGuiKey_Insert, Qt::Key_Insert},
                                         {ImGuiKey_Delete, Qt::Key_Delete},
                                         {ImGuiKey_Backspace, Qt::Key_Backspace},
                                         {ImGuiKey_Space, Qt::Key_Space},
                                         {ImGuiKey_Enter, Qt::Key_Return},
                                         {ImGuiKey_Escape, Qt::Key_Escape},
                                         {kImGuiKeypadEnter, Qt::Key_Enter},
                                         {ImGuiKey_A, Qt::Key_A},
                                         {ImGuiKey_C, Qt::Key_C},
                                         {ImGuiKey_V, Qt::Key_V},
                                         {ImGuiKey_X, Qt::Key_X},
                                         {ImGuiKey_Y, Qt::Key_Y},
                                         {ImGuiKey_Z, Qt::Key_Z}};
    for (const auto& [imguiKey, qtKey] : pairs) io.KeyMap[imguiKey] = keyIndexOf(qtKey);
    useKeyArrays(io);
}

bool ImGuiInput::mouse(const QMouseEvent& event) {
    const auto x = static_cast<float>(event.position().x()), y = static_cast<float>(event.position().y());
    if (event.type() == QEvent::MouseMove) {
        // Only the last of several moves in a row matters.
        if (!queue_.empty() && queue_.back().kind == Item::Kind::Move) queue_.pop_back();
        queue_.push_back({Item::Kind::Move, x, y, 0, false, event.modifiers(), {}});
        return true;
    }
    const auto button = static_cast<int>(kButtons.indexOf(event.button()));
    if (button < 0) return false;
    // Qt delivers the second press of a double click as MouseButtonDblClick; for ImGui it is a press like any
    // other.
    const bool down = event.type() != QEvent::MouseButtonRelease;
    queue_.push_back({Item::Kind::Button, x, y, button, down, event.modifiers(), {}});
    return true;
}

bool ImGuiInput::wheel(const QWheelEvent& event) {
    const QPointF steps = QPointF(event.angleDelta()) / 120.0;
    const auto x = static_cast<float>(steps.x()), y = static_cast<float>(steps.y());
    queue_.push_back({.kind = Item::Kind::Wheel, .x = x, .y = y, .modifiers = event.modifiers()});
    return true;
}

bool ImGuiInput::key(const QKeyEvent& event) {
    const bool down = event.type() == QEvent::KeyPress;
    // Shift+Tab arrives as a key of its own; ImGui wants Tab with a modifier.
    const int index = keyIndexOf(event.key() == Qt::Key_Backtab ? Qt::Key_Tab : event.key());
    if (index >= 0 && !event.isAutoRepeat())
        queue_.push_back({Item::Kind::Key, 0, 0, index, down, event.modifiers(), {}});
    const bool command =
        event.modifiers().testFlag(Qt::ControlModifier) && !event.modifiers().testFlag(Qt::AltModifier);
    if (down && !command && printable(event.text())) text(event.text());
    return index >= 0;
}

void ImGuiInput::text(const QString& text) {
    queue_.push_back({Item::Kind::Text, 0, 0, 0, false, {}, text});
}

void ImGuiInput::leave() {
    queue_.push_back({Item::Kind::Move, -FLT_MAX, -FLT_MAX, 0, false, {}, {}});
}

void ImGuiInput::releaseAll() {
    queue_.push_back({Item::Kind::Release, 0, 0, 0, false, {}, {}});
}

bool ImGuiInput::fits(const Item& item, const FrameState& frame) {
    switch (item.kind) {
        case Item::Kind::Button:
            return !frame.buttons[static_cast<std::size_t>(item.index)];
        case Item::Kind::Key:
            return !frame.keys[static_cast<std::size_t>(item.index)];
        case Item::Kind::Text:
            return true;
        default:
            return frame.buttons.none();
    }
}

void ImGuiInput::applyItem(const Item& item, ImGuiIO& io, FrameState& frame) {
    switch (item.kind) {
        case Item::Kind::Move:
            io.MousePos = {item.x, item.y};
            break;
        case Item::Kind::Button:
            io.MousePos = {item.x, item.y};
            io.MouseDown[item.index] = item.down;
            frame.buttons.set(static_cast<std::size_t>(item.index));
            break;
        case Item::Kind::Wheel:
            io.MouseWheelH += item.x;
            io.MouseWheel += item.y;
            break;
        case Item::Kind::Key:
            io.KeysDown[item.index] = item.down;
            frame.keys.set(static_cast<std::size_t>(item.index));
            break;
        case Item::Kind::Text:
            io.AddInputCharactersUTF8(item.text.toUtf8().constData());
            return;
        case Item::Kind::Release:
            std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false);
            std::fill(std::begin(io.MouseDown), std::end(io.MouseDown), false);
            frame.done = true;
            break;
    }
    io.KeyCtrl = item.modifiers.testFlag(Qt::ControlModifier);
    io.KeyShift = item.modifiers.testFlag(Qt::ShiftModifier);
    io.KeyAlt = item.modifiers.testFlag(Qt::AltModifier);
    io.KeySuper = item.modifiers.testFlag(Qt::MetaModifier);
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
