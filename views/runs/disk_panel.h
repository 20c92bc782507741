#pragma once

#include <vector>

#include "core/store/disk_use.h"
#include "views/common/background.h"
#include "views/common/panel.h"

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace kurve::views {

class PurgeButton;

/// What the project takes on disk, run by run, against a budget: what could go is proposed, nothing goes by
/// itself. Recordings go to the trash one by one and come back from there; only emptying it frees the disk.
class DiskPanel : public Panel {
    Q_OBJECT
public:
    explicit DiskPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override { return !runs_.empty(); }
    [[nodiscard]] QString statement() const override;
    /// In bytes; 0: none.
    [[nodiscard]] double budget() const;
    void setBudget(double bytes);
    /// Looks at the folders again, on a worker.
    void measure();

Q_SIGNALS:
    void budgetChanged(double bytes);
    /// Into the trash, or back from it.
    void trashRequested(const std::vector<kurve::store::RecordingFile>& files, bool on);
    void purgeRequested(const std::vector<kurve::store::RecordingFile>& files);
    void runRequested(const QString& id);

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// What of the list is open, chosen and in sight: it stays so when it is filled anew.
    struct Place {
        QStringList open, chosen;  ///< runs; lines
        QString current;
        int scrolled = 0;
    };
    [[nodiscard]] Place place() const;
    void goTo(const Place& place);
    void take(std::vector<store::RunDisk> runs);
    void showTotals();
    void showProposal();
    void addRun(const store::RunDisk& run);
    void moveChosen();
    void showTrash();
    void connectParts();
    void registerCommands();
    [[nodiscard]] QString nameOf(const std::string& run) const;
    /// Of the chosen recordings those in the trash, or those that are not.
    [[nodiscard]] std::vector<store::RecordingFile> chosen(bool trashed) const;
    [[nodiscard]] std::vector<store::RecordingFile> trash() const;

    std::vector<store::RunDisk> runs_;
    QDoubleSpinBox* budget_;
    QLabel *total_, *proposal_;
    QTreeWidget* rows_;
    QPushButton* move_;
    PurgeButton* purge_;
    Background reading_;
};

}  // namespace kurve::views
