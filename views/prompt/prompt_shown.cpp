// Content of the bar: edited by the user, or the request of the shown trace; saved state.
#include <QJsonArray>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <algorithm>

#include "core/trace/candidates.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/default_sampler_chip.h"
#include "views/common/services/studio.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/prompt/checkpoint_box.h"
#include "views/prompt/prompt_history.h"
#include "views/prompt/prompt_outcome.h"
#include "views/prompt/prompt_panel.h"
#include "views/prompt/reference_field.h"
#include "views/prompt/sampler_boxes.h"

namespace kurve::views {

namespace {

constexpr int kLeastWidth = 260;  ///< of the names of the settings that differ
constexpr int kSeed = 1;          ///< the box begins with it

/// Traces of the same request, also a longer live trace.
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
    showSettings();
    Q_EMIT stateChanged();
}

/// The button of the settings names those that differ, so that they may stay folded.
void PromptPanel::showSettings() {
    QStringList parts;
    if (const QString id = checkpoint_->id(); !id.isEmpty() && id != QLatin1String("last"))
        parts << checkpoint_->currentText();
    if (const auto differing = sampler_->differing(); !differing.isEmpty()) parts << samplerText(differing);
    if (sampler_->seed() != kSeed) parts << tr("seed %1").arg(sampler_->seed());
    if (default_->isVisibleTo(settings_)) parts << tr("default sampler");
    const QString all = parts.join(QStringLiteral(", "));
    button_->setToolTip(all.isEmpty() ? tr("Checkpoint, sampler and seed: those of the run") : plainTip(all));
    button_->setText(all.isEmpty() ? tr("Settings")
                                   : fontMetrics().elidedText(all, Qt::ElideRight, px(kLeastWidth)));
}

void PromptPanel::connectServices() {
    context().services->offer<PromptBar>(*this);
    const Prompts* prompts = &ask<Prompts>();
    connect(prompts, &Prompts::statusChanged, this, [this](const PromptStatus& status) {
        setStatus(status);
        if (!busy_) sent_.reset();  // another trace of the same text has its own settings
    });
    connect(prompts, &Prompts::answered, this, [this, prompts](const PromptAnswer& answer) {
        if (prompts->status().runId == run_) outcome_->showAnswer(answer);
    });
    connect(&ask<Trainings>(), &Trainings::changed, this, &PromptPanel::showLiveModel);
    connect(context().selection, &Selection::traceChanged, this, &PromptPanel::showShownTrace);
}

void PromptPanel::showShownTrace() {
    const auto trace = context().selection->trace();
    if (trace == nullptr) return;
    PromptRequest made = ask<Prompts>().requestOf(*trace);
    // The candidate is not shown where it is the selected one.
    if (const auto all = trace::candidatesOf(*trace); all.size() < 2 || all.front().number == made.candidate)
        made.candidate.reset();
    showRequest(made, ask<Traces>().wasRequested());
}

std::function<void()> PromptPanel::useSampler(const QMap<QString, QString>& settings) {
    const PromptRequest before = request();
    sampler_->use(settings);
    text_->setFocus();
    return [this, before] { sampler_->restore(before); };
}

void PromptPanel::tryText(const QString& text, const QString& reference) {
    text_->setText(text.simplified());
    if (!reference.isEmpty()) reference_->setReference(reference.simplified());
    text_->setFocus();
    Q_EMIT statusMessage(reference.isEmpty() ? tr("Press Ctrl+Enter to run it.")
                                             : tr("Reference included; press Ctrl+Enter to run it."));
}

void PromptPanel::useCheckpoint(const QString& step) {
    refresh();
    checkpoint_->choose(step);
    edited();
    text_->setFocus();
}

void PromptPanel::showRequest(const PromptRequest& made, bool opened) {
    if (sent_ && isSame(*sent_, made)) return;  // already in the bar, or edited since
    if (busy_ && shown_ && isSame(*shown_, made)) return;
    sent_.reset();
    if (!busy_) status_ = {};
    outcome_->clearAnswer();
    const bool nothing = made.input.isEmpty() && made.kind != QLatin1String("nothing");
    if (nothing || (unsent_ && !opened)) return showStatus();
    const QScopedValueRollback filling(filling_, true);
    if (unsent_) history_->add(text_->text().simplified());
    text_->setText(made.input);
    if (!made.reference.isEmpty() && made.reference.simplified() != reference_->reference())
        reference_->show(made.reference.simplified());
    sampler_->show(made.settings, made.seed);
    unsent_ = false;
    shown_ = made;
    note_ = noteOn(made);
    showSettings();
    showStatus();
    Q_EMIT stateChanged();
}

/// Selects its weights; returns what the bar does not show.
QString PromptPanel::noteOn(const PromptRequest& made) {
    QStringList notes;
    const auto data = context().catalog != nullptr ? context().catalog->data(run_) : nullptr;
    const bool newest =
        data != nullptr && !data->checkpoints.empty() &&
        QString::number(std::ranges::max(data->checkpoints, {}, &store::CheckpointRow::saved).step) ==
            made.checkpoint;
    const bool chosen = checkpoint_->choose(newest ? QStringLiteral("last") : made.checkpoint);
    if (data != nullptr && !chosen && !made.checkpoint.isEmpty())
        notes << tr("The checkpoint of step %1 no longer exists.").arg(made.checkpoint);
    if (made.branch) notes << tr("Edited; the edits are in the timeline.");
    if (made.row != 0) notes << tr("Noise of sentence %1.").arg(made.row + 1);
    if (made.candidate) notes << tr("Candidate %1.").arg(*made.candidate + 1);
    return notes.join(QLatin1Char(' '));
}

/// Work for another run is shown with its name, and not after it has ended.
void PromptPanel::showStatus() {
    const bool busy =
        status_.kind == PromptStatus::Kind::Loading || status_.kind == PromptStatus::Kind::Working;
    PromptStatus shown = status_;
    if (!shown.runId.isEmpty() && shown.runId != run_) {
        const RunCatalog* runs = context().catalog;
        const QString name = runs != nullptr ? runs->nameOf(shown.runId) : shown.runId;
        shown = busy ? PromptStatus{shown.kind, tr("%1: %2").arg(name, shown.text), {}, {}} : PromptStatus{};
    }
    if (!note_.isEmpty() && !busy)
        shown.text = QStringList{shown.text, note_}.join(QLatin1Char(' ')).trimmed();
    setBusy(busy);
    outcome_->setStatus(shown);
}

/// Empty if nothing differs from the run's settings.
QJsonObject PromptPanel::runChoices() const {
    const QString checkpoint = checkpoint_->chosenId();
    if (sampler_->differing().isEmpty() && checkpoint.isEmpty()) return {};
    PromptRequest now;
    sampler_->fill(now);
    QJsonObject settings;
    for (const auto& [key, value] : now.settings) settings.insert(key, value);
    return {{QStringLiteral("checkpoint"), checkpoint}, {QStringLiteral("settings"), settings}};
}

void PromptPanel::restoreRun(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    PromptRequest before;
    const QJsonObject settings = saved.value(QStringLiteral("settings")).toObject();
    for (auto it = settings.begin(); it != settings.end(); ++it) before.settings[it.key()] = it->toString();
    sampler_->restore(before);
    fittedRun_.clear();  // unset values are taken from the run
    checkpoint_->begin(saved.value(QStringLiteral("checkpoint")).toString());
}

QJsonObject PromptPanel::saveState() const {
    QJsonObject runs = savedRuns_, references;
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

void PromptPanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QScopedValueRollback filling(filling_, true);
    unsent_ = saved.value(QStringLiteral("unsent")).toBool();
    history_->setPrompts(saved.value(QStringLiteral("history")).toVariant().toStringList());
    QMap<QString, QString> references;
    const QJsonObject typed = saved.value(QStringLiteral("references")).toObject();
    for (auto it = typed.begin(); it != typed.end(); ++it) references[it.key()] = it->toString();
    reference_->setTyped(references);
    text_->setText(saved.value(QStringLiteral("text")).toString());
    sampler_->setSeed(saved.value(QStringLiteral("seed")).toInt(kSeed));
    savedRuns_ = saved.value(QStringLiteral("runs")).toObject();
    restoreRun(savedRuns_.value(run_).toObject());
    refresh();
}

}  // namespace kurve::views
