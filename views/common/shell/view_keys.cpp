#include "views/common/shell/view_keys.h"

#include <QApplication>
#include <QKeyEvent>
#include <QWidget>
#include <utility>

namespace kurve::views {

QKeySequence keyOf(const QKeyEvent& event) {
    const int key = event.key();
    if (key == 0 || key == Qt::Key_unknown || (key >= Qt::Key_Shift && key <= Qt::Key_ScrollLock) ||
        key == Qt::Key_AltGr || key == Qt::Key_Meta)
        return {};
    Qt::KeyboardModifiers with = event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    // "?" is typed with Shift and is not Shift+?; letters and keys without a symbol keep their Shift.
    const QString text = event.text();
    const bool symbol = !text.isEmpty() && text.front().isPrint() && !text.front().isLetterOrNumber() &&
                        !text.front().isSpace();
    if (symbol) with &= ~Qt::ShiftModifier;
    const int plain = key == Qt::Key_Backtab ? static_cast<int>(Qt::Key_Tab) : key;
    return QKeySequence(QKeyCombination(with, static_cast<Qt::Key>(plain)));
}

ViewKeys::ViewKeys(QWidget* view, const QString& title) : QObject(view), view_(view), title_(title) {
    view->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (held_ != 0 && (now == nullptr || (now != view_ && !view_->isAncestorOf(now)))) releaseHeld();
    });
}

const ViewKey* ViewKeys::find(const QKeyEvent& event) const {
    const QKeySequence pressed = keyOf(event);
    if (pressed.isEmpty()) return nullptr;
    for (const ViewKey& key : keys_)
        if (key.allKeys().contains(pressed) && (!key.when || key.when())) return &key;
    return nullptr;
}

void ViewKeys::releaseHeld() {
    held_ = 0;
    if (const auto release = std::exchange(release_, nullptr)) release();
}

bool ViewKeys::eventFilter(QObject* watched, QEvent* event) {
    const bool claims = event->type() == QEvent::ShortcutOverride, down = event->type() == QEvent::KeyPress;
    if (event->type() == QEvent::KeyRelease) {
        const auto* released = static_cast<QKeyEvent*>(event);
        if (released->isAutoRepeat() || held_ == 0 || released->key() != held_) return false;
        releaseHeld();
        return true;
    }
    if (watched != view_ || (!claims && !down)) return false;
    const auto& pressed = *static_cast<QKeyEvent*>(event);
    const ViewKey* key = find(pressed);
    if (key == nullptr) return false;
    event->accept();  // so that no action of the window gets it
    if (claims) return true;
    if (held_ != 0 && held_ != pressed.key()) releaseHeld();
    if (key->release) {
        held_ = pressed.key();
        release_ = key->release;
    }
    key->press();
    return true;
}

}  // namespace kurve::views
