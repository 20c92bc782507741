#pragma once

#include <QPointer>

#include "app/studio/engine_call.h"
#include "app/studio/project_session.h"
#include "views/corpus/import_request.h"

namespace kurve::views {
class CorpusPanel;
}

namespace kurve::studio {

/// Carries out the requests of the corpus panel's import form by the engine: checks, one at a time, and the
/// import. GUI thread.
class CorpusImport : public QObject {
    Q_OBJECT
public:
    /// Lives as long as the panel.
    CorpusImport(views::CorpusPanel& panel, ProjectSession& session);

private:
    void check(const views::ImportRequest& request);
    void cancel();
    void import(const views::ImportRequest& request);
    [[nodiscard]] QStringList inProject(QStringList words) const;

    views::CorpusPanel& panel_;
    ProjectSession& session_;
    QPointer<EngineCall> checking_;
};

}  // namespace kurve::studio
