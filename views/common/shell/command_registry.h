#pragma once

#include <QAction>
#include <QAnyStringView>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
#include <utility>
#include <vector>

namespace kurve::views {

/// Every action of the studio is registered here once; menus, keys, tool buttons, the palette and F1 read
/// this list.
struct Command {
    QString id;        ///< "run.start"; also the QAction's object name
    QString title;     ///< "Start training"
    QString category;  ///< menu: "Run", "View", …
    QKeySequence keys;
    QString help;                     ///< one line for the palette and F1
    QList<QKeySequence> otherKeys{};  ///< further keys for the same action

    /// Everything it is registered with; empty keys are left out.
    [[nodiscard]] QList<QKeySequence> allKeys() const;
};

class CommandRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Registers and returns the action (owned by the registry). Keys act in the whole window unless `scope`
    /// is given: then only while that widget or a child has the focus, and single letters never reach a text
    /// field. Where several actions have the key that was pressed, the innermost scope about the focus wins.
    QAction* add(const Command& command, std::function<void()> run, QWidget* scope = nullptr);
    /// Null for an unknown id.
    [[nodiscard]] QAction* action(const QString& id) const;
    /// As its key; nothing for an unknown id.
    void trigger(const QString& id) const;
    struct Entry {
        Command command;
        QAction* action = nullptr;
        QPointer<QWidget> scope;
        QString refusal;  ///< why it is unavailable; empty: available
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// Null for an unknown id; valid until the next add().
    [[nodiscard]] const Entry* entry(const QString& id) const;
    /// Disables an action with a reason, shown in its tooltip and in the palette; empty: enables it.
    void setRefusal(const QString& id, const QString& reason);
    /// Replaces the keys of an action; none: an empty list.
    void setKeys(const QString& id, const QList<QKeySequence>& keys);
    /// The current key as text, for buttons and hints; empty if there is none.
    [[nodiscard]] QString keyText(const QString& id) const;
    /// Other commands with this key in the same scope, of which only one can have it.
    [[nodiscard]] std::vector<const Entry*> rivals(const QString& id, const QKeySequence& key) const;
    /// The widget that window-wide actions belong to; those registered before are added to it as well.
    void setWindow(QWidget* window);

Q_SIGNALS:
    void added(const QString& id);
    void keysChanged(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] Entry* find(const QString& id);

    std::vector<Entry> entries_;
    QPointer<QWidget> window_;
};

/// Adds commands of one menu and one scope; a prefix such as "timeline." stands before their ids.
class CommandGroup {
public:
    CommandGroup(CommandRegistry* registry, QString category, QWidget* scope = nullptr, QString prefix = {})
        : registry_(registry), category_(std::move(category)), scope_(scope), prefix_(std::move(prefix)) {}
    QAction* operator()(QAnyStringView id, const QString& title, const QKeySequence& keys,
                        const QString& help, std::function<void()> run) const {
        return registry_->add({prefix_ + id.toString(), title, category_, keys, help}, std::move(run),
                              scope_);
    }

private:
    CommandRegistry* registry_;
    QString category_;
    QWidget* scope_;
    QString prefix_;
};

}  // namespace kurve::views
