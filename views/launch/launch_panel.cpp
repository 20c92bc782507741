#include "views/launch/launch_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/services/engine.h"
#include "views/common/services/machines.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/launch/launch_foot.h"
#include "views/launch/launch_head.h"
#include "views/launch/launch_page.h"

namespace kurve::views {

LaunchPanel::LaunchPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("launch"), tr("Launch"), context, parent),
      actions_(*context.services->find<DraftActions>()),
      draft_(actions_.draft()),
      empty_(new EmptyState),
      head_(new LaunchHead(draft_)),
      foot_(new LaunchFoot(context, actions_)) {
    form_ = new SettingsForm([this](const FieldSpec& field) { return stateOf(field); },
                             [this](const FieldSpec& field) {
                                 return fittingRuns(*this->context().catalog, *this->context().engine, field);
                             });
    form_->setObjectName(QStringLiteral("launch.form"));
    content_ = new ContentOrEmpty(new LaunchPage(head_, form_, foot_), empty_);
    vboxIn(this, {content_}, {.margins = 0});
    describe(this, {.role = "surface", .filled = true});

    connectParts();
    registerCommands();
    listExperiments();
    engineInfoChanged();
}

SettingsForm::FieldState LaunchPanel::stateOf(const FieldSpec& field) const {
    const QString key = QString::fromStdString(field.key);
    if (!liveConfig_)
        return {draft_.valueText(key), draft_.errors().value(key), draft_.differsFromDefault(key),
                draft_.isOverridden(key)};
    const std::string value = fieldValueText(liveConfig_->value(field.key));
    return {QString::fromStdString(value), {}, value != fieldValueText(field.fallback), false};
}

void LaunchPanel::connectParts() {
    connect(empty_, &EmptyState::clicked, this, [this] {
        const bool haveEngine = !context().engine->families().empty();
        haveEngine ? actions_.createExperiment() : ask<Engine>().describe();
    });
    connect(&actions_, &DraftActions::refused, this, &LaunchPanel::focusFirstError);
    connect(&actions_, &DraftActions::experimentsChanged, this, &LaunchPanel::listExperiments);
    connect(&actions_, &DraftActions::shown, this, [this](const QString& field) {
        showRunning(false);
        if (!field.isEmpty()) form_->focusField(field);
    });
    connect(&actions_, &DraftActions::fileWanted, this, [this] {
        showRunning(false);
        foot_->showFile();
    });
    connect(&ask<Trainings>(), &Trainings::changed, this, &LaunchPanel::showTraining);
    connect(head_, &LaunchHead::searchChanged, form_, &SettingsForm::setSearch);
    connect(head_, &LaunchHead::changedOnlyChanged, form_, &SettingsForm::setChangedOnly);
    connect(head_, &LaunchHead::runningChosen, this, &LaunchPanel::showRunning);
    connect(head_, &LaunchHead::machineChosen, this, [this](const QString& machine) {
        if (!ask<Machines>().checkOf(machine).answer) ask<Machines>().check(machine);  // for its devices
    });
    connect(head_, &LaunchHead::reloadWanted, &actions_, &DraftActions::reloadExperiment);
    connect(form_, &SettingsForm::edited, &draft_, &Draft::setValue);
    connect(form_, &SettingsForm::reverted, &draft_, &Draft::revert);
    connect(form_, &SettingsForm::liveSet, this, &LaunchPanel::setLive);
    // Queued: it may delete the field that loses the focus.
    connect(
        qApp, &QApplication::focusChanged, this,
        [this] {
            if (livesNow_ != liveRun_) followLive();
        },
        Qt::QueuedConnection);
    connect(&draft_, &Draft::schemaChanged, this, &LaunchPanel::rebuildForm);
    connect(&draft_, &Draft::changed, this, [this] {
        refresh();
        Q_EMIT stateChanged();
    });
    connect(context().catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == liveRun_ && runningWanted_) takeLiveConfig();
    });
}

void LaunchPanel::registerCommands() {
    if (context().commands == nullptr) return;
    // With the key of an undo, which belongs to the form.
    const CommandGroup addHere(context().commands, tr("Run"), this);
    addHere("launch.restore_draft", tr("Restore previous draft"), QKeySequence::Undo,
            tr("The draft before another experiment, Revert all or a run's settings; run again to swap back"),
            [this] { actions_.restorePrevious(); });
}

void LaunchPanel::listExperiments() {
    head_->setExperiments(actions_.experiments());
    refresh();
}

void LaunchPanel::showEvent(QShowEvent* event) {
    Panel::showEvent(event);
    actions_.updateExperiments();
    actions_.estimateSoon();
}

void LaunchPanel::engineInfoChanged() {
    rebuildForm();
    refresh();
    if (runningWanted_) takeLiveConfig();
}

void LaunchPanel::rebuildForm() {
    head_->fill(context().engine);
    form_->setRunning(liveConfig_.has_value());
    form_->setSchema(liveConfig_ ? &liveConfig_->schema() : draft_.schema());
    form_->refresh();
}

void LaunchPanel::refresh() {
    const bool haveEngine = !context().engine->families().empty();
    content_->setEmpty(!haveEngine || !head_->hasExperiments());
    const QString problem = ask<Engine>().problem();
    if (!haveEngine && !problem.isEmpty())
        empty_->setTexts(tr("Engine description unavailable"), problem, tr("Try again"));
    else if (!haveEngine)
        empty_->setTexts(tr("Loading engine description…"), tr("Once per build of the engine."));
    else if (!head_->hasExperiments())
        empty_->setTexts(tr("No experiments"),
                         tr("Files in the folder experiments/ appear here automatically."),
                         tr("Create first experiment"));
    form_->refresh();
    const bool running = liveConfig_.has_value();
    head_->refresh(running);
    foot_->showDraft(draft_, running);
    if (isVisible() && !running) actions_.estimateSoon();
}

void LaunchPanel::showTraining() {
    const Trainings::Current training = ask<Trainings>().shown();
    livesNow_ = training.run;
    liveState_ = tr("Live: %1").arg(stateStyle(training.state.toStdString()).text);
    followLive();
}

/// A run that starts or ends must not replace a field that the user is typing in.
void LaunchPanel::followLive() {
    const bool typing = isTyping(), changed = livesNow_ != liveRun_;
    if (changed && typing && head_->isRunningShown()) return head_->setLiveRun(tr("Live: ended"));
    watched_.set({livesNow_});  // selected or not
    liveRun_ = livesNow_;
    head_->setLiveRun(liveRun_.isEmpty() ? QString() : liveState_);
    if (changed && runningWanted_) showRunning(false);  // of the previous run
    if (changed && !liveRun_.isEmpty() && !typing) showRunning(true);
}

bool LaunchPanel::isTyping() const {
    const QWidget* at = QApplication::focusWidget();
    const auto* line = qobject_cast<const QLineEdit*>(at);
    if (const auto* combo = qobject_cast<const QComboBox*>(at)) line = combo->lineEdit();
    return line != nullptr && !line->isReadOnly() && isAncestorOf(at);
}

void LaunchPanel::setLive(const QString& key, const QString& text) {
    if (livesNow_ != liveRun_) return Q_EMIT statusMessage(tr("That training has ended."));
    const std::vector<Override> change{{key.toStdString(), text.toStdString()}};
    if (const auto with = liveConfig_->with(change); !with)
        return Q_EMIT statusMessage(QString::fromStdString(with.error().text()));
    const bool taken = ask<Trainings>().set(key, text);
    if (!taken) form_->refresh();
    Q_EMIT statusMessage(taken ? tr("%1 = %2 from the next step.").arg(key, text)
                               : tr("There is no connection to the training; set %1 again.").arg(key));
}

/// A run's settings are shown once they are read; until then the draft is.
void LaunchPanel::showRunning(bool on) {
    runningWanted_ = on;
    if (on) takeLiveConfig();
    head_->showRunning(on && liveConfig_.has_value());
    if (on) return;
    liveConfig_.reset();
    rebuildForm();
    refresh();
}

void LaunchPanel::takeLiveConfig() {
    const auto data = context().catalog->data(liveRun_);
    if (!data) return;
    const std::string text = data->value("config"), changed = data->value("live_settings");
    if (text.empty() || (liveConfig_ && text + changed == liveText_)) return;
    liveText_ = text + changed;
    auto config = context().engine->recorded(text);
    if (config && !changed.empty()) {
        const auto now = nlohmann::json::parse(changed, nullptr, false);
        std::vector<Override> live;
        if (now.is_object())
            for (const auto& [key, value] : now.items())
                if (value.is_string()) live.emplace_back(key, value.get<std::string>());
        if (auto with = config->with(live)) config = std::move(*with);
    }
    if (!config || (liveConfig_ && liveConfig_->canonicalText() == config->canonicalText())) return;
    const bool first = !liveConfig_, typed = isTyping();
    liveConfig_ = std::move(*config);
    head_->showRunning(true);
    if (first) rebuildForm();
    refresh();
    // The focused field is disabled now, and Qt focused the next one, in which the user does not type.
    if (!typed && isTyping()) head_->focusRunning();
}

void LaunchPanel::focusFirstError() {
    showRunning(false);
    for (const QString& key : draft_.errors().keys())
        if (!key.isEmpty() && form_->focusField(key)) return;
    head_->focusError();
}

bool LaunchPanel::hasData() const {
    return draft_.schema() != nullptr;
}
QString LaunchPanel::statement() const {
    if (liveConfig_) return tr("Settings of the running training, including live changes.");
    const auto& errors = draft_.errors();
    if (errors.size() == 1) return tr("The draft cannot start: %1").arg(errors.first());
    if (!errors.isEmpty()) return tr("The draft cannot start: %1 errors.").arg(errors.size());
    if (!hasData()) return tr("There is no draft yet.");
    const bool titled =
        draft_.runs().size() > 1 && draft_.name().isEmpty();  // each run is, by what it changes
    const qsizetype changed = draft_.sets().size() - (titled ? 1 : 0);
    const QString changes =
        tr("%1: experiment %2 with %3")
            .arg(draft_.name().isEmpty() ? tr("New run") : draft_.name(),
                 QFileInfo(draft_.experiment()).completeBaseName(), countedText(changed, tr("change")));
    return draft_.runs().size() > 1 ? tr("%1, %2 runs.").arg(changes).arg(draft_.runs().size())
                                    : changes + QLatin1Char('.');
}

QJsonObject LaunchPanel::saveState() const {
    return {{QStringLiteral("open"), form_->openGroups().join(QLatin1Char(','))}};
}

void LaunchPanel::restoreState(const QJsonObject& json) {
    if (json.contains(QStringLiteral("open")))
        form_->setOpenGroups(json.value(QStringLiteral("open")).toString().split(QLatin1Char(',')));
    showTraining();
}

}  // namespace kurve::views
