#pragma once

#include <QHash>
#include <QWidget>

#include "views/guide/key_bindings.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kurve::views {

class KeyField;
class ViewKeys;

/// Every command with its shortcuts, those of the focused view first. Shortcuts can be changed, added,
/// removed and reset; a key of another command is reported and can be reassigned. Keys that views handle
/// themselves (ViewKeys) are listed but fixed.
class KeysPage : public QWidget {
    Q_OBJECT
public:
    explicit KeysPage(KeyBindings& bindings, QWidget* parent = nullptr);
    /// Lists the commands; those of the focused view first.
    void show(QWidget* focus);
    /// Selects the row of a command.
    void choose(const QString& id);
    [[nodiscard]] QString chosen() const;
    void search(const QString& text);
    [[nodiscard]] QTreeWidget* list() const { return list_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* buildFoot();
    QTreeWidgetItem* addGroup(const QString& title);
    void addRow(QTreeWidgetItem* group, const CommandRegistry::Entry& entry);
    void addViewKeys(const ViewKeys& keys, const QString& title);
    void fill(QTreeWidgetItem& row, const CommandRegistry::Entry& entry) const;
    void showKeysOf(const QString& id);
    void filter();
    void showChosen();
    void capture(bool adding);
    void take(const QKeySequence& key);
    void stopCapture();
    void apply();

    KeyBindings& bindings_;
    QLineEdit* search_;
    QTreeWidget* list_;
    QHash<QString, QTreeWidgetItem*> rows_;  ///< by the id of the command
    QLabel* about_;
    KeyField* field_;
    QPushButton *change_ = nullptr, *add_ = nullptr, *remove_ = nullptr, *reset_ = nullptr,
                *resetAll_ = nullptr, *reassign_ = nullptr;
    bool adding_ = false;          ///< the pressed key is added to the others
    QList<QKeySequence> waiting_;  ///< until a conflict is resolved
};

}  // namespace kurve::views
