#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>
#include <functional>
#include <vector>

namespace kurve::views {

/// Every action of the studio is registered here once; menus, keys, tool buttons, the palette and F1 read this list.
struct Command {
    QString id;        ///< "run.start"; also the QAction's object name
    QString title;     ///< "Start training"
    QString category;  ///< menu: "Run", "View", …
    QKeySequence keys;
    QString help;      ///< one line for the palette and F1
};

class CommandRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Registers and returns the action (owned by the registry). Keys act in the whole window unless `scope` is given:
    /// then only while that widget or a child has the focus, and single letters never reach a text field.
    QAction* add(const Command& command, std::function<void()> run, QWidget* scope = nullptr);
    [[nodiscard]] QAction* action(const QString& id) const;
    struct Entry {
        Command command;
        QAction* action = nullptr;
        QWidget* scope = nullptr;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

private:
    std::vector<Entry> entries_;
};

}  // namespace kurve::views
