#pragma once

#include <QObject>

#include "views/common/command_registry.h"

namespace kurve::views {

/// A user's own keys: laid over those that the commands bring, also over commands that come later, and kept
/// in the user's settings (group "keys"), so that they hold in every project. GUI thread.
class KeyBindings : public QObject {
    Q_OBJECT
public:
    explicit KeyBindings(CommandRegistry& commands, QObject* parent = nullptr);
    [[nodiscard]] const CommandRegistry& commands() const { return commands_; }
    /// None: an empty list. The keys that the command brings are not kept, so that a later version may change
    /// them.
    void set(const QString& id, const QList<QKeySequence>& keys);
    /// Gives the command this key too, and takes it from those that cannot have it at the same time.
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
