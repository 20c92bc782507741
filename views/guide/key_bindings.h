#pragma once

#include <QObject>

#include "views/common/shell/command_registry.h"

namespace kurve::views {

/// The user's shortcuts: they override the default keys of commands, also of those registered later, and are
/// saved in the user's settings (group "keys"), for every project. GUI thread.
class KeyBindings : public QObject {
    Q_OBJECT
public:
    explicit KeyBindings(CommandRegistry& commands, QObject* parent = nullptr);
    [[nodiscard]] const CommandRegistry& commands() const { return commands_; }
    /// None: an empty list. Default keys are not saved, so that a later version may change them.
    void set(const QString& id, const QList<QKeySequence>& keys);
    /// Assigns the keys to the command, and removes them from conflicting commands.
    void give(const QString& id, const QList<QKeySequence>& keys);
    void reset(const QString& id);
    void resetAll();
    [[nodiscard]] bool isChanged(const QString& id) const;
    [[nodiscard]] bool anyChanged() const;

private:
    void apply(const QString& id);

    CommandRegistry& commands_;
};

}  // namespace kurve::views
