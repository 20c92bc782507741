#include "views/common/shell/command_registry.h"

#include <QApplication>
#include <QShortcutEvent>
#include <QWidget>

namespace kurve::views {

namespace {

/// Its help with its key, or its refusal.
void showTip(const CommandRegistry::Entry& entry) {
    const QString& help = entry.command.help.isEmpty() ? entry.command.title : entry.command.help;
    const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
    const bool refused = !entry.refusal.isEmpty();
    entry.action->setStatusTip(refused ? entry.refusal : help);
    entry.action->setToolTip(refused          ? entry.refusal
                             : keys.isEmpty() ? help
                                              : QStringLiteral("%1 (%2)").arg(help, keys));
}

void showKeys(const CommandRegistry::Entry& entry, const QList<QKeySequence>& keys) {
    entry.action->setShortcuts(keys);
    showTip(entry);
}

/// The number of widgets between the focus and the scope; the window is farthest, -1 is out of scope.
int distance(const CommandRegistry::Entry& entry, const QWidget* focus) {
    constexpr int kWindow = 1000;
    if (!entry.scope) return kWindow;
    int steps = 0;
    for (const QWidget* at = focus; at; at = at->parentWidget(), ++steps)
        if (at == entry.scope) return steps;
    return -1;
}

}  // namespace

QList<QKeySequence> Command::allKeys() const {
    QList<QKeySequence> all{keys};
    all += otherKeys;
    all.removeIf([](const QKeySequence& key) { return key.isEmpty(); });
    return all;
}

QAction* CommandRegistry::add(const Command& command, std::function<void()> run, QWidget* scope) {
    auto* action = new QAction(command.title, this);
    action->setObjectName(command.id);
    action->installEventFilter(this);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    if (scope) {
        // Text fields claim printable keys themselves (ShortcutOverride), so letters typed there stay text.
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        scope->addAction(action);
    } else {
        action->setShortcutContext(Qt::WindowShortcut);
        if (window_) window_->addAction(action);
    }
    entries_.push_back({command, action, scope, {}});
    showKeys(entries_.back(), command.allKeys());
    Q_EMIT added(command.id);
    return action;
}

const CommandRegistry::Entry* CommandRegistry::entry(const QString& id) const {
    for (const Entry& entry : entries_)
        if (entry.command.id == id) return &entry;
    return nullptr;
}

CommandRegistry::Entry* CommandRegistry::find(const QString& id) {
    return const_cast<Entry*>(std::as_const(*this).entry(id));
}

void CommandRegistry::setRefusal(const QString& id, const QString& reason) {
    Entry* found = find(id);
    if (found == nullptr || found->refusal == reason) return;
    found->refusal = reason;
    found->action->setEnabled(reason.isEmpty());
    showTip(*found);
}

QAction* CommandRegistry::action(const QString& id) const {
    const Entry* found = entry(id);
    return found ? found->action : nullptr;
}

void CommandRegistry::trigger(const QString& id) const {
    if (QAction* found = action(id)) found->trigger();
}

void CommandRegistry::setKeys(const QString& id, const QList<QKeySequence>& keys) {
    const Entry* found = entry(id);
    if (!found || found->action->shortcuts() == keys) return;
    showKeys(*found, keys);
    Q_EMIT keysChanged(id);
}

QString CommandRegistry::keyText(const QString& id) const {
    const QAction* found = action(id);
    return found ? found->shortcut().toString(QKeySequence::NativeText) : QString();
}

std::vector<const CommandRegistry::Entry*> CommandRegistry::rivals(const QString& id,
                                                                   const QKeySequence& key) const {
    std::vector<const Entry*> found;
    const Entry* self = entry(id);
    for (const Entry& other : entries_)
        if (self && &other != self && other.scope == self->scope && other.action->shortcuts().contains(key))
            found.push_back(&other);
    return found;
}

bool CommandRegistry::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Shortcut) return QObject::eventFilter(watched, event);
    const auto* pressed = static_cast<QShortcutEvent*>(event);
    if (!pressed->isAmbiguous()) return false;  // the action itself takes it
    QAction* nearest = nullptr;
    int best = -1;
    for (const Entry& entry : entries_) {
        const int here = distance(entry, QApplication::focusWidget());
        if (here < 0 || (best >= 0 && here >= best) || !entry.action->isEnabled() ||
            !entry.action->shortcuts().contains(pressed->key()))
            continue;
        best = here;
        nearest = entry.action;
    }
    if (nearest) nearest->trigger();
    return nearest != nullptr;
}

void CommandRegistry::setWindow(QWidget* window) {
    window_ = window;
    if (!window) return;
    for (const Entry& entry : entries_)
        if (!entry.scope) window->addAction(entry.action);
}

}  // namespace kurve::views
