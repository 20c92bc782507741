#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/store/disk_use.h"
#include "views/common/shell/panel.h"

class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace kurve::views {

class DiskMeasurement;
class DiskRows;
class PurgeButton;

/// Disk use of the project by run, against a budget: reclaimable files are proposed, nothing is deleted by
/// itself. Traces can be moved to the trash and back; only emptying it frees the disk.
class DiskPanel : public Panel {
    Q_OBJECT
public:
    explicit DiskPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override { return !runs_.empty(); }
    [[nodiscard]] QString statement() const override;
    /// Rescans the folders of all runs, on a worker.
    void measure();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void take(const std::vector<store::RunDisk>& some);
    void takeTrash();
    void finish();
    void showAll();
    void showProgress();
    void showTotals();
    void showProposal();
    void moveSelected();
    void showTrash();
    void connectParts();
    [[nodiscard]] double budget() const;  ///< in bytes; 0: none
    void showRun(const QString& id);
    void registerCommands();
    [[nodiscard]] QString nameOf(const std::string& run) const;
    /// Those of which this part is largest; none where it is 0.
    [[nodiscard]] std::vector<const store::RunDisk*> largest(std::int64_t store::RunDisk::*part,
                                                             std::size_t most) const;
    [[nodiscard]] std::vector<store::TraceFile> trash() const;

    std::map<std::string, store::RunDisk> runs_;
    QDoubleSpinBox* budget_;
    QLabel *total_, *proposal_;
    DiskRows* rows_;
    QLabel* progress_;
    QPushButton* rescan_;
    DiskMeasurement* measurement_;
    QPushButton* move_;
    PurgeButton* purge_;
};

}  // namespace kurve::views
