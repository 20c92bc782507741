#pragma once

#include <QEvent>
#include <deque>

class QMouseEvent;
class QWheelEvent;
struct ImGuiIO;

namespace kurve::views {

/// Qt's mouse events in order, handed to ImGui 1.86 frame by frame. That version only sees the state at the
/// start of a frame, so a press and its release in one frame would vanish: at most one transition of the same
/// button is let through a frame, and the pointer does not move on after a press. Of the keys only the
/// modifiers of these events arrive: the drawn views have no fields, and their keys are commands of the
/// panels.
class ImGuiInput {
public:
    /// Press, double click (a press), release, move. True if the event was queued.
    bool mouse(const QMouseEvent& event);
    void wheel(const QWheelEvent& event);
    void leave();
    void releaseAll();  ///< focus lost: releases all buttons

    [[nodiscard]] bool empty() const { return queue_.empty(); }
    /// Applies the events of one frame; true if some are left for the next.
    bool apply(ImGuiIO& io);

private:
    struct Item {
        enum class Kind : unsigned char { Move, Button, Wheel, Release } kind;
        float x = 0, y = 0;  ///< position, or y: steps of the wheel
        int button = 0;
        bool down = false;
        Qt::KeyboardModifiers modifiers{};
    };
    struct FrameState;
    static bool fits(const Item& item, const FrameState& frame);
    static void applyItem(const Item& item, ImGuiIO& io, FrameState& frame);
    std::deque<Item> queue_;
};

}  // namespace kurve::views
