#pragma once

#include <QObject>

#include "app/studio/project_session.h"
#include "app/studio/trace_opener.h"

namespace kurve::studio {

/// Keeps what is being looked at in the session: the runs, the trace, the slot and both playheads. After a
/// crash, or tomorrow, the window shows the same again. GUI thread.
class PlaceKeeper : public QObject {
    Q_OBJECT
public:
    PlaceKeeper(ProjectSession& session, TraceOpener& traces, QObject* parent);
    /// Brings back what was kept; a trace that is gone is left out. From then on changes are kept.
    void restore();

private:
    void keep();

    ProjectSession& session_;
    TraceOpener& traces_;
    bool keeping_ = false;
};

}  // namespace kurve::studio
