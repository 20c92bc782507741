#pragma once

#include <functional>

#include "app/studio/session/project_session.h"
#include "core/interop/report.h"
#include "core/store/disk_use.h"
#include "views/common/data/background.h"
#include "views/common/services/project_files.h"

class QToolButton;

namespace kurve::studio {

/// Import and export of a project: a comparison as one HTML file, and logs of other programs as runs. One job
/// at a time on a worker, cancellable; said() has the outcome.
class ExchangeService : public views::ProjectFiles {
    Q_OBJECT
public:
    explicit ExchangeService(ProjectSession& session, QWidget* window);
    /// Shown while a job runs; for the status bar, which owns it then.
    [[nodiscard]] QToolButton* cancelButton() const { return cancel_; }
    /// Shown after an import of damaged files, until the next job; for the status bar likewise.
    [[nodiscard]] QToolButton* readableButton() const { return readable_; }

    void askReport(const QStringList& runs, const interop::ReportView& view) override;
    void writeReport(const QStringList& runs, const kurve::interop::ReportView& view, const QString& file);
    void askImport();
    void askImportFolder();
    /// Asks for a folder of published weights, then importModel().
    void askImportModel();
    void importModel(const QString& folder);
    /// TensorBoard event files or folders of them, CSV, JSON lines; the new runs become the selection.
    void importLogs(const QStringList& paths);
    /// Imports the damaged files of the last import, without their damaged entries.
    void importReadable();
    /// True if one of the paths looks like a log that importLogs() reads.
    [[nodiscard]] static bool recognises(const QStringList& paths);
    [[nodiscard]] QStringList reportPlanes() const override;
    void setReportPlanes(const QStringList& planes) override;
    void trashTraces(const std::vector<store::TraceFile>& files, bool on) override {
        session_.edits.trashTraces(files, on);
    }
    void purge(const QStringList& runs) override;
    void purgeTraces(const std::vector<store::TraceFile>& files) override;
    [[nodiscard]] double diskBudget() const override;
    void setDiskBudget(double bytes) override;
    void cancel();

Q_SIGNALS:
    void said(const QString& text);
    void imported(const QStringList& runs);
    /// Files of text pairs were dropped on the window.
    void textDropped(const QStringList& files);

protected:
    /// Files that are dropped on the window.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool begin(const QString& what);
    void finish();
    void import(const QStringList& paths, bool skipBad);
    /// `purge` returns the bytes that it freed.
    void free(const QString& what, std::function<Result<std::int64_t>()> purge);
    void offerReadable(const QStringList& damaged);

    ProjectSession& session_;
    QWidget* window_;
    QToolButton *cancel_, *readable_;
    QStringList damaged_;
    views::Background work_{views::JobKind::Write};
    bool busy_ = false;
};

}  // namespace kurve::studio
