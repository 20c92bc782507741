#include "views/common/command_registry.h"

#include <QWidget>

namespace kurve::views {

QAction* CommandRegistry::add(const Command& command, std::function<void()> run, QWidget* scope) {
    auto* action = new QAction(command.title, this);
    action->setObjectName(command.id);
    QList<QKeySequence> keys{command.keys};
    keys += command.otherKeys;
    keys.removeIf([](const QKeySequence& key) { return key.isEmpty(); });
    action->setShortcuts(keys);
    const QString keyText = command.keys.toString(QKeySequence::NativeText);
    const QString help = command.help.isEmpty() ? command.title : command.help;
    action->setToolTip(keyText.isEmpty() ? help : QStringLiteral("%1 (%2)").arg(help, keyText));
    action->setStatusTip(help);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    if (scope) {
        // Text fields claim printable keys themselves (ShortcutOverride), so letters typed there stay text.
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        scope->addAction(action);
    } else {
        action->setShortcutContext(Qt::WindowShortcut);
        if (window_) window_->addAction(action);
    }
    entries_.push_back({command, action, scope});
    Q_EMIT added(command.id);
    return action;
}

QAction* CommandRegistry::action(const QString& id) const {
    for (const Entry& entry : entries_)
        if (entry.command.id == id) return entry.action;
    return nullptr;
}

void CommandRegistry::setWindow(QWidget* window) {
    window_ = window;
    if (!window) return;
    for (const Entry& entry : entries_)
        if (!entry.scope) window->addAction(entry.action);
}

}  // namespace kurve::views
