#include "app/studio/corpus_import.h"

#include "views/corpus/corpus_panel.h"
#include "views/corpus/import_form.h"

namespace kurve::studio {

using views::ImportForm;
using views::ImportRequest;

CorpusImport::CorpusImport(views::CorpusPanel& panel, ProjectSession& session)
    : QObject(&panel), panel_(panel), session_(session) {
    ImportForm& form = panel.importForm();
    connect(&form, &ImportForm::checkRequested, this, &CorpusImport::check);
    connect(&form, &ImportForm::cancelRequested, this, &CorpusImport::cancel);
    connect(&form, &ImportForm::importRequested, this, &CorpusImport::import);
}

QStringList CorpusImport::inProject(QStringList words) const {
    return std::move(words) << QStringLiteral("--project")
                            << QString::fromStdString(session_.project().folder().string());
}

void CorpusImport::check(const ImportRequest& request) {
    cancel();
    checking_ = EngineCall::start(
        inProject(request.checkWords()),
        [this](const Result<nlohmann::json>& found) {
            found ? panel_.importForm().showFound(*found) : panel_.importForm().showProblem(found.error());
        },
        this);
}

void CorpusImport::cancel() {
    if (checking_) checking_->cancel();
    checking_.clear();
}

void CorpusImport::import(const ImportRequest& request) {
    EngineCall::start(
        inProject(request.importWords()),
        [this, name = request.name](const Result<nlohmann::json>& made) {
            made ? panel_.showImported(name) : panel_.importForm().showProblem(made.error());
        },
        this);
}

}  // namespace kurve::studio
