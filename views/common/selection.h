#pragma once

#include <QMap>
#include <QObject>
#include <QStringList>
#include <memory>

#include "core/trace/trace.h"
#include "views/common/step_link.h"

namespace kurve::views {

/// Words that would stand at a step if an edit that is going on were made: pieces by slot. Step -1 = none.
struct WordPreview {
    int step = -1;
    QMap<int, QString> pieces;
    friend bool operator==(const WordPreview&, const WordPreview&) = default;
};

/// The window's one selection: runs (the first is primary), the trace shown, and a slot in it. GUI thread.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const QStringList& runs() const { return runs_; }
    [[nodiscard]] QString primaryRun() const { return runs_.value(0); }
    /// Runs that no chart draws; they stay in the list and in the selection.
    [[nodiscard]] const QStringList& hiddenRuns() const { return hidden_; }
    [[nodiscard]] bool isHidden(const QString& run) const { return hidden_.contains(run); }
    /// The run that others are measured against; empty: none was chosen.
    [[nodiscard]] const QString& baseline() const { return baseline_; }
    /// The run whose row or curve is under the pointer; empty: none.
    [[nodiscard]] const QString& hoveredRun() const { return hovered_; }
    [[nodiscard]] std::shared_ptr<const trace::Trace> trace() const { return trace_; }
    /// The trace that was pinned to be compared with (B); null = none.
    [[nodiscard]] std::shared_ptr<const trace::Trace> reference() const { return reference_; }
    /// Which step of the reference stands beside a step of the trace, in every view that shows both.
    [[nodiscard]] LinkBy linkBy() const { return linkBy_; }
    [[nodiscard]] int slot() const { return slot_; }
    [[nodiscard]] const WordPreview& preview() const { return preview_; }

public Q_SLOTS:
    void setRuns(const QStringList& ids);
    /// Puts the run before the others that are selected; selects it alone where it is not.
    void setPrimary(const QString& run);
    void setHiddenRuns(const QStringList& ids);
    void hideRuns(const QStringList& ids, bool on);
    void setBaseline(const QString& run);
    void setHoveredRun(const QString& run);
    void setTrace(std::shared_ptr<const trace::Trace> trace);
    void setReference(std::shared_ptr<const trace::Trace> trace);
    void setLinkBy(kurve::views::LinkBy by);
    void setSlot(int slot);  ///< -1 = none
    void setPreview(const kurve::views::WordPreview& preview);

Q_SIGNALS:
    void runsChanged(const QStringList& ids);
    void hiddenChanged(const QStringList& ids);
    void baselineChanged(const QString& run);
    void hoveredRunChanged(const QString& run);
    void traceChanged();
    void referenceChanged();
    void linkChanged();
    void slotChanged(int slot);
    void previewChanged();

private:
    QStringList runs_, hidden_;
    QString baseline_, hovered_;
    std::shared_ptr<const trace::Trace> trace_, reference_;
    LinkBy linkBy_ = LinkBy::Step;
    int slot_ = -1;
    WordPreview preview_;
};

}  // namespace kurve::views
