#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
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
};

class CommandRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Registers and returns the action (owned by the registry). Keys act in the whole window unless `scope`
    /// is given: then only while that widget or a child has the focus, and single letters never reach a text
    /// field.
    QAction* add(const Command& command, std::function<void()> run, QWidget* scope = nullptr);
    /// Null for an unknown id.
    [[nodiscard]] QAction* action(const QString& id) const;
    struct Entry {
        Command command;
        QAction* action = nullptr;
        QPointer<QWidget> scope;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// The widget that window-wide actions belong to; those registered before are added to it as well.
    void setWindow(QWidget* window);

Q_SIGNALS:
    void added(const QString& id);

private:
    std::vector<Entry> entries_;
    QPointer<QWidget> window_;
};

}  // namespace kurve::views
