#include "views/guide/key_field.h"

#include <QKeyEvent>
#include <QKeySequence>

#include "views/common/form/controls.h"
#include "views/common/shell/view_keys.h"

namespace kurve::views {

KeyField::KeyField(QWidget* parent) : QLabel(parent) {
    setFocusPolicy(Qt::ClickFocus);
    describe(this, {.role = "title", .wraps = true});
}

bool KeyField::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::FocusOut) Q_EMIT cancelled();
    if (event->type() != QEvent::KeyPress) return QLabel::event(event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape && key->modifiers() == Qt::NoModifier)
        Q_EMIT cancelled();
    else if (const QKeySequence made = keyOf(*key); !made.isEmpty())
        Q_EMIT pressed(made);
    event->accept();
    return true;
}

}  // namespace kurve::views
