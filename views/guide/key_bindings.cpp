#include "views/guide/key_bindings.h"

#include <QSettings>

namespace kurve::views {

namespace {
const QString kNone = QStringLiteral("none");  // an empty text is not restored from the file

QString settingOf(const QString& id) {
    return QStringLiteral("keys/") + id;
}
}  // namespace

KeyBindings::KeyBindings(CommandRegistry& commands, QObject* parent) : QObject(parent), commands_(commands) {
    connect(&commands_, &CommandRegistry::added, this, &KeyBindings::apply);
    for (const auto& entry : commands_.entries()) apply(entry.command.id);
}

void KeyBindings::apply(const QString& id) {
    const QString saved = QSettings().value(settingOf(id)).toString();
    if (saved == kNone) return commands_.setKeys(id, {});
    if (!saved.isEmpty())
        commands_.setKeys(id, QKeySequence::listFromString(saved, QKeySequence::PortableText));
}

void KeyBindings::set(const QString& id, const QList<QKeySequence>& keys) {
    const auto* entry = commands_.entry(id);
    if (!entry) return;
    if (keys == entry->command.allKeys()) return reset(id);
    QSettings().setValue(
        settingOf(id), keys.isEmpty() ? kNone : QKeySequence::listToString(keys, QKeySequence::PortableText));
    commands_.setKeys(id, keys);
}

void KeyBindings::give(const QString& id, const QList<QKeySequence>& keys) {
    QStringList others;
    for (const QKeySequence& key : keys)
        for (const auto* rival : commands_.rivals(id, key)) others << rival->command.id;
    for (const QString& other : others) {
        QList<QKeySequence> left = commands_.action(other)->shortcuts();
        left.removeIf([&](const QKeySequence& key) { return keys.contains(key); });
        set(other, left);
    }
    set(id, keys);
}

void KeyBindings::reset(const QString& id) {
    QSettings().remove(settingOf(id));
    if (const auto* entry = commands_.entry(id)) commands_.setKeys(id, entry->command.allKeys());
}

void KeyBindings::resetAll() {
    QSettings().remove(QStringLiteral("keys"));  // also of panels that are not open
    QStringList ids;
    for (const auto& entry : commands_.entries()) ids << entry.command.id;
    for (const QString& id : ids) reset(id);
}

bool KeyBindings::isChanged(const QString& id) const {
    const auto* entry = commands_.entry(id);
    return entry && entry->action->shortcuts() != entry->command.allKeys();
}

bool KeyBindings::anyChanged() const {
    QSettings settings;
    settings.beginGroup(QStringLiteral("keys"));
    return !settings.childKeys().isEmpty();
}

}  // namespace kurve::views
