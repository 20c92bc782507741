#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

namespace kurve::interop {
struct ReportView;
}
namespace kurve::store {
struct TraceFile;
}

namespace kurve::views {

/// What is written out of the project, and what is deleted from it.
class ProjectFiles : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Asks for a file and writes a comparison into it. The first run is the baseline; `view`: how the
    /// comparison shows them.
    virtual void askReport(const QStringList& /*runs*/, const interop::ReportView& /*view*/) {}
    /// The planes of accuracy and diversity in the report, "chrf:distinct-2" each.
    [[nodiscard]] virtual QStringList reportPlanes() const { return {}; }
    virtual void setReportPlanes(const QStringList& /*planes*/) {}
    /// Single traces into the trash or back from it, as an edit that can be undone.
    virtual void trashTraces(const std::vector<store::TraceFile>& /*files*/, bool /*on*/) {}
    /// Deletes runs in the trash permanently and says how much that freed.
    virtual void purge(const QStringList& /*runs*/) {}
    /// The same with single traces.
    virtual void purgeTraces(const std::vector<store::TraceFile>& /*files*/) {}
    /// Bytes above which the status bar warns; 0: none.
    [[nodiscard]] virtual double diskBudget() const { return 0; }
    virtual void setDiskBudget(double /*bytes*/) {}

Q_SIGNALS:
    void tracesChanged();  ///< in the trash, or out of it
    void diskBudgetChanged();
};

}  // namespace kurve::views
