#pragma once

#include <QTimer>
#include <vector>

#include "core/store/disk_use.h"
#include "views/common/background.h"
#include "views/common/panel.h"

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace kurve::views {

/// What the project takes on disk, run by run, against a budget: what could go is proposed, nothing goes by
/// itself. Recordings are deleted one by one, after a second press.
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
    void deleteRequested(const std::vector<kurve::store::RecordingFile>& files);
    void runRequested(const QString& id);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void take(std::vector<store::RunDisk> runs);
    void showTotals();
    void showProposal();
    void pressDelete();
    void showDelete();
    [[nodiscard]] QString nameOf(const std::string& run) const;
    [[nodiscard]] std::vector<store::RecordingFile> chosen() const;

    std::vector<store::RunDisk> runs_;
    QDoubleSpinBox* budget_;
    QLabel *total_, *proposal_;
    QTreeWidget* rows_;
    QPushButton* delete_;
    Background reading_;
    QTimer forget_;  ///< runs while a second press deletes
};

}  // namespace kurve::views
