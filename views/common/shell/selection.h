#pragma once

#include <QMap>
#include <QObject>
#include <QStringList>
#include <functional>
#include <memory>

#include "core/inspect/step_link.h"
#include "core/trace/trace.h"

namespace kurve::views {

/// Tokens that a running edit would give at a step, by position. Step -1 = none.
struct TokenPreview {
    int step = -1;
    QMap<int, QString> tokens;
    friend bool operator==(const TokenPreview&, const TokenPreview&) = default;
};

/// The window's one selection: runs (the first is primary), the trace shown, and a position in it. GUI
/// thread.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const QStringList& runs() const { return runs_; }
    [[nodiscard]] QString primaryRun() const { return runs_.value(0); }
    /// Runs hidden in charts; they stay in the list and in the selection.
    [[nodiscard]] const QStringList& hiddenRuns() const { return hidden_; }
    [[nodiscard]] bool isHidden(const QString& run) const { return hidden_.contains(run); }
    /// The baseline run; empty: none.
    [[nodiscard]] const QString& baseline() const { return baseline_; }
    /// The run whose row or curve is under the pointer; empty: none.
    [[nodiscard]] const QString& hoveredRun() const { return hovered_; }
    [[nodiscard]] std::shared_ptr<const trace::Trace> trace() const { return trace_; }
    /// The trace that was pinned to be compared with (B); null = none.
    [[nodiscard]] std::shared_ptr<const trace::Trace> reference() const { return reference_; }
    /// Which step of the reference is shown beside a step of the trace, in every view that shows both.
    [[nodiscard]] inspect::LinkBy linkBy() const { return linkBy_; }
    [[nodiscard]] int position() const { return position_; }
    [[nodiscard]] const TokenPreview& preview() const { return preview_; }

    /// Of the runs that were set last only those for which `keep` is true: what a filter hides is selected
    /// again once it is shown.
    void keepRuns(const std::function<bool(const QString&)>& keep);

public Q_SLOTS:
    void setRuns(const QStringList& ids);
    /// Makes the run the first of the selected ones; selects it alone if it is not selected.
    void setPrimary(const QString& run);
    void setHiddenRuns(const QStringList& ids);
    void hideRuns(const QStringList& ids, bool on);
    void setBaseline(const QString& run);
    void setHoveredRun(const QString& run);
    void setTrace(std::shared_ptr<const trace::Trace> trace);
    void setReference(std::shared_ptr<const trace::Trace> trace);
    void setLinkBy(kurve::inspect::LinkBy by);
    void setPosition(int position);  ///< -1 = none
    void setPreview(const kurve::views::TokenPreview& preview);

Q_SIGNALS:
    void runsChanged(const QStringList& ids);
    void hiddenChanged(const QStringList& ids);
    void baselineChanged(const QString& run);
    void hoveredRunChanged(const QString& run);
    void traceChanged();
    void referenceChanged();
    void linkChanged();
    void positionChanged(int position);
    void previewChanged();

private:
    QStringList set_, runs_, hidden_;  ///< runs_: the kept ones of set_
    QString baseline_, hovered_;
    std::shared_ptr<const trace::Trace> trace_, reference_;
    inspect::LinkBy linkBy_ = inspect::LinkBy::Step;
    int position_ = -1;
    TokenPreview preview_;
};

}  // namespace kurve::views
