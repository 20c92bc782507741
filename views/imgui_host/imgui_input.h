#pragma once

#include <QEvent>
#include <QString>
#include <deque>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;
struct ImGuiIO;

namespace kurve::views {

/// Qt's input events in order, handed to ImGui 1.86 frame by frame. That version only sees the state at the
/// start of a frame, so a press and its release in one frame would vanish: at most one transition of the same
/// button or key is let through a frame, and the pointer does not move on after a press. Different keys do
/// pass together, so that fast typing keeps up with slow frames.
class ImGuiInput {
public:
    /// Each returns true if the event was queued.
    bool mouse(const QMouseEvent& event);  ///< press, double click (a press), release, move
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void text(const QString& text);  ///< committed by an input method
    void leave();
    void releaseAll();  ///< focus lost: releases all keys

    [[nodiscard]] bool empty() const { return queue_.empty(); }
    /// Applies the events of one frame; true if some are left for the next.
    bool apply(ImGuiIO& io);

    /// Index into ImGuiIO::KeysDown (512 entries): Qt's special keys are mapped after the characters.
    [[nodiscard]] static int keyIndexOf(int qtKey);
    static void mapKeys(ImGuiIO& io);

private:
    struct Item {
        enum class Kind : unsigned char { Move, Button, Wheel, Key, Text, Release } kind;
        float x = 0, y = 0;
        int index = 0;  ///< button or key index
        bool down = false;
        Qt::KeyboardModifiers modifiers{};
        QString text;
    };
    struct FrameState;
    static bool fits(const Item& item, const FrameState& frame);
    static void applyItem(const Item& item, ImGuiIO& io, FrameState& frame);
    std::deque<Item> queue_;
};

}  // namespace kurve::views
