#include "views/guide/key_field.h"

#include <QKeyEvent>
#include <QKeySequence>

namespace kurve::views {

KeyField::KeyField(QWidget* parent) : QLabel(parent) {
    setFocusPolicy(Qt::ClickFocus);
    setProperty("role", "title");
    setWordWrap(true);
}

QKeySequence KeyField::sequenceOf(const QKeyEvent& event) {
    const int key = event.key();
    if (key == 0 || key == Qt::Key_unknown || (key >= Qt::Key_Shift && key <= Qt::Key_ScrollLock) ||
        key == Qt::Key_AltGr || key == Qt::Key_Meta)
        return {};
    Qt::KeyboardModifiers with = event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    // "?" is typed with Shift and is not Shift+?; letters and keys without a sign keep their Shift.
    const QString text = event.text();
    const bool sign = !text.isEmpty() && text.front().isPrint() && !text.front().isLetterOrNumber() &&
                      !text.front().isSpace();
    if (sign) with &= ~Qt::ShiftModifier;
    const int plain = key == Qt::Key_Backtab ? static_cast<int>(Qt::Key_Tab) : key;
    return QKeySequence(QKeyCombination(with, static_cast<Qt::Key>(plain)));
}

bool KeyField::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::FocusOut) Q_EMIT givenUp();
    if (event->type() != QEvent::KeyPress) return QLabel::event(event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape && key->modifiers() == Qt::NoModifier)
        Q_EMIT givenUp();
    else if (const QKeySequence made = sequenceOf(*key); !made.isEmpty())
        Q_EMIT pressed(made);
    event->accept();
    return true;
}

}  // namespace kurve::views
