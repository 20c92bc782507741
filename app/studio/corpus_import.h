#pragma once

#include <QPointer>

#include "app/studio/engine_call.h"
#include "app/studio/project_session.h"
#include "views/corpus/import_wish.h"

namespace kurve::views {
class CorpusPanel;
}

namespace kurve::studio {

/// Carries out what the corpus panel's import form asks for: checks, one at a time, and the import, both by
/// the engine. GUI thread.
class CorpusImport : public QObject {
    Q_OBJECT
public:
    /// Lives as long as the panel.
    CorpusImport(views::CorpusPanel& panel, ProjectSession& session);

private:
    void check(const views::ImportWish& wish);
    void cancel();
    void import(const views::ImportWish& wish);
    [[nodiscard]] QStringList inProject(QStringList words) const;

    views::CorpusPanel& panel_;
    ProjectSession& session_;
    QPointer<EngineCall> checking_;
};

}  // namespace kurve::studio
