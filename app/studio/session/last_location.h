#pragma once

#include <QObject>

#include "app/studio/session/project_session.h"
#include "app/studio/session/trace_opener.h"

namespace kurve::studio {

/// Saves the selected runs, the trace, the position and both playheads in the session, and restores them in
/// the next one. GUI thread.
class LastLocation : public QObject {
    Q_OBJECT
public:
    LastLocation(ProjectSession& session, TraceOpener& traces, QObject* parent);
    /// Restores what was saved, but not a trace that no longer exists. From then on changes are saved.
    void restore();

private:
    void save();

    ProjectSession& session_;
    TraceOpener& traces_;
    bool saving_ = false;
};

}  // namespace kurve::studio
