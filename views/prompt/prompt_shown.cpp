// What stands in the bar: written by somebody, or the request of the recording that is on screen; kept for
// another session.
#include <QJsonArray>
#include <QLineEdit>
#include <QScopedValueRollback>

#include "views/common/run_catalog.h"
#include "views/prompt/checkpoint_box.h"
#include "views/prompt/prompt_history.h"
#include "views/prompt/prompt_outcome.h"
#include "views/prompt/prompt_panel.h"
#include "views/prompt/reference_field.h"
#include "views/prompt/sampler_boxes.h"

namespace kurve::views {

namespace {

/// Two recordings of one request, among them the same one with more steps.
bool isSame(const PromptRequest& a, const PromptRequest& b) {
    return a.runId == b.runId && a.input == b.input && a.seed == b.seed && a.row == b.row &&
           a.branch.has_value() == b.branch.has_value();
}

}  // namespace

void PromptPanel::edited() {
    if (!filling_) {
        unsent_ = true;
        shown_.reset();
        note_.clear();
        showStatus();
    }
    Q_EMIT draftChanged();
}

void PromptPanel::showRequest(const PromptRequest& made, bool asked) {
    if (sent_ && isSame(*sent_, made)) return;  // the bar says it, or what somebody wrote after it
    if (busy_ && shown_ && isSame(*shown_, made)) return;
    sent_.reset();
    if (!busy_) status_ = {};
    outcome_->clearAnswer();
    if (made.input.isEmpty() || (unsent_ && !asked)) return showStatus();
    const QScopedValueRollback filling(filling_, true);
    if (unsent_) history_->add(text_->text().simplified());
    text_->setText(made.input);
    if (!made.reference.isEmpty() && made.reference.simplified() != reference_->reference())
        reference_->show(made.reference.simplified());
    sampler_->show(made.settings, made.seed);
    unsent_ = false;
    shown_ = made;
    note_ = notShown(made);
    showStatus();
    Q_EMIT draftChanged();
}

/// Chooses its weights, and says of what made it that which has no place in the bar.
QString PromptPanel::notShown(const PromptRequest& made) {
    QStringList said;
    const auto data = context().catalog != nullptr ? context().catalog->data(run_) : nullptr;
    const bool newest = data != nullptr && !data->checkpoints.empty() &&
                        QString::number(data->checkpoints.back().step) == made.checkpoint;
    if (!checkpoint_->choose(newest ? QStringLiteral("last") : made.checkpoint) && !made.checkpoint.isEmpty())
        said
            << tr("Recorded by the weights of step %1, which are in no checkpoint now.").arg(made.checkpoint);
    if (made.branch) said << tr("What was changed by hand stands in the timeline.");
    if (made.row != 0) said << tr("Its noise is that of sentence %1.").arg(made.row + 1);
    if (made.candidate) said << tr("It is candidate %1.").arg(*made.candidate + 1);
    return said.join(QLatin1Char(' '));
}

/// What is done for another run says whose it is, and is nothing to this one once it is done.
void PromptPanel::showStatus() {
    const bool busy =
        status_.kind == PromptStatus::Kind::Loading || status_.kind == PromptStatus::Kind::Working;
    PromptStatus shown = status_;
    if (!shown.runId.isEmpty() && shown.runId != run_) {
        const store::RunSummary* other =
            context().catalog != nullptr ? context().catalog->run(shown.runId) : nullptr;
        const QString name = other != nullptr ? QString::fromStdString(other->name) : shown.runId;
        shown = busy ? PromptStatus{shown.kind, tr("%1: %2").arg(name, shown.text), {}, {}} : PromptStatus{};
    }
    if (!note_.isEmpty() && !busy)
        shown.text = QStringList{shown.text, note_}.join(QLatin1Char(' ')).trimmed();
    setBusy(busy);
    outcome_->setStatus(shown);
}

void PromptPanel::showAnswer(const PromptAnswer& answer) {
    outcome_->showAnswer(answer);
}

/// Empty where nothing differs from the run's own.
QJsonObject PromptPanel::runChoices() const {
    const QString checkpoint = checkpoint_->kept();
    if (sampler_->isOwn() && checkpoint.isEmpty()) return {};
    PromptRequest now;
    sampler_->fill(now);
    QJsonObject settings;
    for (const auto& [key, value] : now.settings) settings.insert(key, value);
    return {{QStringLiteral("checkpoint"), checkpoint},
            {QStringLiteral("steps"), now.steps},
            {QStringLiteral("length_beam"), now.lengthBeam},
            {QStringLiteral("noise_beam"), now.noiseBeam},
            {QStringLiteral("settings"), settings}};
}

void PromptPanel::restoreRun(const QJsonObject& kept) {
    if (kept.isEmpty()) return;
    PromptRequest before;
    before.steps = kept.value(QStringLiteral("steps")).toInt();
    before.lengthBeam = kept.value(QStringLiteral("length_beam")).toInt();
    before.noiseBeam = kept.value(QStringLiteral("noise_beam")).toInt();
    const QJsonObject further = kept.value(QStringLiteral("settings")).toObject();
    for (auto it = further.begin(); it != further.end(); ++it) before.settings[it.key()] = it->toString();
    restoreSampler(before);
    fittedRun_.clear();  // what was not known then is taken from the run
    checkpoint_->begin(kept.value(QStringLiteral("checkpoint")).toString());
}

QJsonObject PromptPanel::save() const {
    QJsonObject runs = kept_, references;
    if (!run_.isEmpty()) runs[run_] = runChoices();
    for (const QString& id : runs.keys())
        if (runs.value(id).toObject().isEmpty()) runs.remove(id);
    const auto typed = reference_->typed(history_->prompts());
    for (auto it = typed.begin(); it != typed.end(); ++it) references.insert(it.key(), *it);
    PromptRequest now;
    sampler_->fill(now);
    return {{QStringLiteral("text"), text_->text()},
            {QStringLiteral("references"), references},
            {QStringLiteral("seed"), static_cast<qint64>(now.seed)},
            {QStringLiteral("unsent"), unsent_},
            {QStringLiteral("history"), QJsonArray::fromStringList(history_->prompts())},
            {QStringLiteral("runs"), runs}};
}

void PromptPanel::restore(const QJsonObject& kept) {
    if (kept.isEmpty()) return;
    const QScopedValueRollback filling(filling_, true);
    unsent_ = kept.value(QStringLiteral("unsent")).toBool();
    history_->setPrompts(kept.value(QStringLiteral("history")).toVariant().toStringList());
    QMap<QString, QString> references;
    const QJsonObject typed = kept.value(QStringLiteral("references")).toObject();
    for (auto it = typed.begin(); it != typed.end(); ++it) references[it.key()] = it->toString();
    reference_->setTyped(references);
    text_->setText(kept.value(QStringLiteral("text")).toString());
    sampler_->setSeed(kept.value(QStringLiteral("seed")).toInt(1));
    kept_ = kept.value(QStringLiteral("runs")).toObject();
    restoreRun(kept_.value(run_).toObject());
    refresh();
}

}  // namespace kurve::views
