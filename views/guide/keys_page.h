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

/// Every action with its keys, those of the focused view first, and the keys open to change: a row's key is
/// replaced, added to, taken away or set back; a key that another action has is told and can be taken over.
/// The keys that views take themselves (ViewKeys) are listed and stay.
class KeysPage : public QWidget {
    Q_OBJECT
public:
    explicit KeysPage(KeyBindings& bindings, QWidget* parent = nullptr);
    /// Lists the actions anew; those that act where `focus` is come first.
    void show(QWidget* focus);
    /// Goes to an action's row.
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
    void ask(bool further);
    void take(const QKeySequence& key);
    void stopAsking();
    void apply();

    KeyBindings& bindings_;
    QLineEdit* search_;
    QTreeWidget* list_;
    QHash<QString, QTreeWidgetItem*> rows_;  ///< by the id of the action
    QLabel* about_;
    KeyField* field_;
    QPushButton *change_ = nullptr, *further_ = nullptr, *remove_ = nullptr, *reset_ = nullptr,
                *resetAll_ = nullptr, *takeOver_ = nullptr;
    bool adding_ = false;          ///< the pressed key joins the others
    QList<QKeySequence> waiting_;  ///< until a conflict is decided
};

}  // namespace kurve::views
