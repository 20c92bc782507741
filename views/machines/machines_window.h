#pragma once

#include <QDialog>
#include <optional>

#include "views/common/services/machines.h"
#include "views/common/shell/panel.h"

class QLabel;
class QListWidget;
class QPushButton;
class QTabWidget;

namespace kurve::views {

class CheckView;
class ContentOrEmpty;
class EmptyState;
class MachineForm;
class MachineRuns;

/// Project > Machines…: the machines of machines.toml, edited, checked, and the runs on them. Not modal; GUI
/// thread.
class MachinesWindow : public QDialog {
    Q_OBJECT
public:
    /// What `context` names outlives this.
    MachinesWindow(const StudioContext& context, QWidget* parent);
    /// Selects a machine; empty: none.
    void select(const QString& machine);

private:
    [[nodiscard]] QWidget* buildContent();
    [[nodiscard]] QWidget* buildList();
    void connectParts();
    void refresh();
    void fillList();
    void showSelected();
    void showAnswers();
    void add();
    void save(const remote::Machine& machine);
    void removeOrRestore();
    [[nodiscard]] QString selected() const;
    [[nodiscard]] QString stateHere(const QString& run) const;

    StudioContext context_;
    Machines& machines_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
    QLabel* problem_;
    QListWidget* list_;
    QPushButton *add_, *remove_;
    QTabWidget* tabs_;
    MachineForm* form_;
    CheckView* check_;
    MachineRuns* runs_;
    bool adding_ = false;                     ///< the form shows a machine that is not in the list yet
    std::optional<remote::Machine> removed_;  ///< the last one, until the next change or selection
};

}  // namespace kurve::views
