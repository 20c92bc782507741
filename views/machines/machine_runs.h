#pragma once

#include <QWidget>
#include <functional>

#include "views/common/services/machines.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace kurve::views {

/// The project's runs on a machine, and what is known of them here; one can be followed.
class MachineRuns : public QWidget {
    Q_OBJECT
public:
    /// What this project has of a run there: "followed", "completed", …; empty: nothing.
    using StateHere = std::function<QString(const QString& run)>;
    explicit MachineRuns(StateHere stateHere, QWidget* parent = nullptr);
    void show(const Machines::Answer& answer);

Q_SIGNALS:
    void listRequested();
    void followRequested(const QString& run);

private:
    void fill(const nlohmann::json& runs);
    void updateFollow();
    [[nodiscard]] QString selectedRun() const;

    StateHere stateHere_;
    QTreeWidget* rows_;
    QLabel* about_;
    QPushButton *list_, *follow_;
};

}  // namespace kurve::views
