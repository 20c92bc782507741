#include "app/studio/asked_runs.h"

#include "app/studio/main_window.h"
#include "views/runs/near_runs.h"

namespace kurve::studio {

namespace {

void check(const QStringList& ids, MainWindow& window, ProjectSession& session) {
    QStringList there;
    for (const QString& id : ids)
        if (session.catalog.run(id) != nullptr) there << id;
    for (const QString& id : ids)
        if (!there.contains(id)) window.say(views::noSuchRun(id, session.catalog.runs()));
    if (!there.isEmpty() && session.selection.runs() == ids) session.selection.setRuns(there);
}

}  // namespace

void selectAsked(const QStringList& ids, MainWindow& window, ProjectSession& session) {
    if (ids.isEmpty()) return;
    session.selection.setRuns(ids);
    if (session.catalog.complete()) return check(ids, window, session);
    QObject::connect(&session.catalog, &views::RunCatalog::completed, &window,
                     [ids, &window, &session] { check(ids, window, session); });
}

}  // namespace kurve::studio
