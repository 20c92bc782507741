#include "app/studio/session/run_query.h"

#include "app/studio/window/main_window.h"
#include "views/runs/similar_runs.h"

namespace kurve::studio {

namespace {

void check(const QStringList& ids, MainWindow& window, ProjectSession& session) {
    QStringList known;
    for (const QString& id : ids)
        if (session.catalog.run(id) != nullptr) known << id;
    for (const QString& id : ids)
        if (!known.contains(id)) window.say(views::unknownRunText(id, session.catalog.runs()));
    if (!known.isEmpty() && session.selection.runs() == ids) session.selection.setRuns(known);
}

}  // namespace

void selectRequestedRuns(const QStringList& ids, MainWindow& window, ProjectSession& session) {
    if (ids.isEmpty()) return;
    session.selection.setRuns(ids);
    if (session.catalog.complete()) return check(ids, window, session);
    QObject::connect(&session.catalog, &views::RunCatalog::completed, &window,
                     [ids, &window, &session] { check(ids, window, session); });
}

}  // namespace kurve::studio
