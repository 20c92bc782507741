#include "views/runs/inspector_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/data/weights_here.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/services/machines.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/reserved_space.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/runs/data_badge.h"
#include "views/runs/fork_form.h"
#include "views/runs/lineage_tree.h"
#include "views/runs/project_changes.h"
#include "views/runs/run_annotations.h"
#include "views/runs/run_facts.h"
#include "views/runs/run_requests.h"
#include "views/runs/run_settings.h"
#include "views/runs/similar_runs.h"

namespace kurve::views {

namespace {

QString valueOf(const RunData* data, const char* key) {
    return data ? qt(data->value(key)) : QString();
}

QLabel* caption(const QString& text) {
    return describe(new QLabel(text), {.role = "section"});
}

}  // namespace

InspectorPanel::InspectorPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("inspector"), tr("Inspector"), context, parent),
      empty_(new EmptyState),
      name_(describe(new QLabel, {.role = "headline", .wraps = true})),
      state_(new QLabel),
      reason_(describe(new QLabel, {.role = "caption", .wraps = true})),
      facts_(describe(new QLabel, {.wraps = true})),
      resume_(describe(new QPushButton(tr("Resume")), "inspector.resume")),
      draft_(describe(new QPushButton(tr("Use as draft")), "inspector.draft")),
      annotations_(new RunAnnotations),
      lineage_(new LineageTree),
      data_(new DataBadge),
      settings_(new RunSettings),
      checkpoints_(new CheckpointTable),
      evaluation_(new EvaluateForm(context)),
      changes_(new ProjectChanges(this)),
      tabs_(new QTabWidget) {
    content_ = new ContentOrEmpty(buildPage(), empty_);
    vboxIn(this, {content_}, {.margins = 0});
    connectParts();
    connectServices();
    connectActions();
    registerAnnotationCommands();
    selectionChanged();
}

QWidget* InspectorPanel::buildPage() {
    tabs_->setDocumentMode(true);
    tabs_->addTab(settings_, tr("Settings"));
    tabs_->addTab(checkpoints_, tr("Checkpoints"));
    tabs_->addTab(evaluation_, tr("Scores"));
    for (QLabel* label : {name_, reason_}) label->setTextFormat(Qt::PlainText);
    name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    facts_->setTextFormat(Qt::RichText);
    facts_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    return boxed(
        vbox({name_,
              state_,
              reason_,
              wrapBox({resume_, draft_}),
              buildContinuation(),
              data_,
              new ReservedSpace(facts_),
              lineage_,
              caption(tr("TAGS AND NOTES")),
              annotations_,
              {tabs_, 1}},
             {.margins = {space::kMedium, space::kMedium, space::kMedium, 0}, .spacing = space::kSmall}));
}

void InspectorPanel::connectParts() {
    connect(empty_, &EmptyState::clicked, this, [this] {
        if (const QString run = proposedRun(); !run.isEmpty()) context().selection->setRuns({run});
    });
    connect(data_, &DataBadge::checked, this, &InspectorPanel::refresh);
    connect(lineage_, &LineageTree::runRequested, this,
            [this](const QString& run) { context().selection->setRuns({run}); });
    connect(facts_, &QLabel::linkActivated, this, &InspectorPanel::follow);
    connect(context().selection, &Selection::runsChanged, this, &InspectorPanel::selectionChanged);
    connect(context().catalog, &RunCatalog::runsChanged, this, &InspectorPanel::refresh);
    connect(context().catalog, &RunCatalog::completed, this, &InspectorPanel::refresh);
    connect(context().catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == id_) live_.request();
    });
    connect(&ask<Trainings>(), &Trainings::changed, this, [this] {
        const store::RunSummary* run = context().catalog->run(id_);
        if (run != nullptr && !run->machine.empty()) live_.request();
    });
    connect(&ask<Machines>(), &Machines::fetched, this, &InspectorPanel::refresh);
    onThemeChange(this, [this] {
        shownConfig_.clear();  // its rows have theme colours
        refresh();
    });
}

QWidget* InspectorPanel::buildContinuation() {
    continuation_ = new QWidget;
    reproduce_ = describe(new QPushButton(tr("Reproduce run")), "inspector.reproduce");
    extend_ = describe(new QPushButton(tr("Extend by")), "inspector.extend");
    extraSteps_ = describe(new QSpinBox, "inspector.extra", tr("Steps to extend by"));
    extraSteps_->setRange(1, 100000000);
    extraSteps_->setValue(1000);
    setCountSuffix(*extraSteps_, tr("step"));
    extendsTo_ = describe(new QLabel, "inspector.extendsTo", {.role = "caption", .wraps = true});
    connect(extraSteps_, &QSpinBox::valueChanged, this, &InspectorPanel::showExtension);
    wrapBoxIn(continuation_, {extend_, extraSteps_, extendsTo_, reproduce_});
    return continuation_;
}

void InspectorPanel::openEvaluation() {
    reveal();
    tabs_->setCurrentWidget(evaluation_);
    evaluation_->findChild<QWidget*>(QStringLiteral("evaluate.go"))->setFocus(Qt::OtherFocusReason);
}

void InspectorPanel::follow(const QString& link) {
    if (link != QLatin1String(kProjectChangesLink)) {
        context().selection->setRuns({link});
        return;
    }
    changes_->setWindowTitle(tr("Changes of the project: %1").arg(name_->text()));
    changes_->show();
    changes_->raise();
    changes_->activateWindow();
}

void InspectorPanel::extend() {
    const store::RunSummary* run = context().catalog->run(id_);
    if (!run) return;
    ask<RunRequests>().carryOut({.kind = RunRequest::Kind::Extend,
                                 .run = id_,
                                 .checkpoint = {},
                                 .steps = plannedEnd(*run) + extraSteps_->value()});
}

InspectorPanel::~InspectorPanel() {
    annotations_->finish();
}

void InspectorPanel::selectionChanged() {
    if (const QString id = context().selection->primaryRun(); id != id_) {
        data_->setRecord({});  // of the previous run: this may refresh
        id_ = id;
        shownConfig_.clear();
        shownData_.clear();
        settings_->clear();
        watched_.set({id_});
        live_.restart();  // its first data are shown at once
    }
    refresh();
}

void InspectorPanel::refresh() {
    const store::RunSummary* run = id_.isEmpty() ? nullptr : context().catalog->run(id_);
    content_->setEmpty(run == nullptr);
    annotations_->setRun(run);
    if (!run) {
        showActions(nullptr, nullptr);
        evaluation_->setRuns({}, nullptr, nullptr);
        showEmpty();
        return;
    }
    const auto data = context().catalog->data(id_);
    name_->setText(runName(*run));
    const double lost = ask<Trainings>().lostSince(id_);
    const StateStyle state = stateStyle(lost > 0 ? "lost_contact" : run->state);
    state_->setText(QStringLiteral("<span style=\"color:%1\">%2 %3</span>")
                        .arg(state.color.name(), state.glyph,
                             lost > 0 ? tr("%1 since %2").arg(state.text, momentText(lost)) : state.text));
    QString reason = lost > 0
                         ? tr("Trying to reach %1 again; the training there may go on.").arg(qt(run->machine))
                         : qt(run->reason);
    if (data && !data->error.isEmpty()) reason = data->error;
    reason_->setText(reason);
    reason_->setVisible(!reason.isEmpty());
    showActions(run, data.get());
    const QStringList away = checkpointsAwayOf(*run, data.get());
    showFacts(*run, data.get(), away);
    lineage_->setRun(id_, data.get(), *context().catalog);
    if (data) showData(*data);
    fillSettings(data.get());
    checkpoints_->setAway(qt(run->machine), away);
    if (context().project) checkpoints_->setFolder(context().project->runFolder(run->id));
    checkpoints_->setRun(id_, data.get(), isLive(*run));
    evaluation_->setRuns(context().selection->runs(), run, data.get());
    const auto decoding = data ? decodingConfig(*data, *context().engine) : std::nullopt;
    evaluation_->setSampler(decoding ? &*decoding : nullptr,
                            decoding ? context().engine->family(decoding->family()) : nullptr);
    showChanges(data.get());
    evaluation_->setScorers(scorerRuns(*context().catalog, *context().engine));
}

/// Only of a run on another machine weights can be missing.
QStringList InspectorPanel::checkpointsAwayOf(const store::RunSummary& run, const RunData* data) const {
    if (run.machine.empty() || data == nullptr || context().project == nullptr) return {};
    return checkpointsAway(context().project->runFolder(run.id), *data);
}

/// A new text would drop the user's text selection.
void InspectorPanel::showFacts(const store::RunSummary& run, const RunData* data, const QStringList& away) {
    const QString about = qt(run.id);
    if (facts_->hasSelectedText() && factsOf_ == about) return;
    factsOf_ = about;
    facts_->setText(runFacts(run, data, data_->result().isFine(), away));
}

QString InspectorPanel::proposedRun() const {
    const auto& runs = context().catalog->runs();
    const QStringList near = id_.isEmpty() ? QStringList() : similarRuns(id_, runs);
    if (!near.isEmpty()) return near.first();
    return runs.empty() ? QString() : qt(runs.back().id);
}

void InspectorPanel::showEmpty() {
    const auto& runs = context().catalog->runs();
    const QString newest = runs.empty() ? QString() : tr("Select the newest run");
    if (id_.isEmpty())
        return empty_->setTexts(tr("Nothing selected"),
                                tr("Select a run in the list to see its settings, notes and checkpoints."),
                                newest);
    if (ask<Trainings>().isLive(id_))
        return empty_->setTexts(tr("Not written yet"), tr("The engine is creating this run."));
    if (!context().catalog->complete()) return empty_->setTexts(tr("Reading…"), {});
    const QStringList near = similarRuns(id_, runs);
    empty_->setTexts(tr("No such run"), unknownRunText(id_, runs),
                     near.isEmpty() ? newest : tr("Select %1").arg(near.first()));
}

// Unavailable actions are hidden here; the menu of the run list says why.
void InspectorPanel::showActions(const store::RunSummary* run, const RunData* data) {
    const EngineInfo& engine = *context().engine;
    showRefusals(*context().commands, run, data, engine);
    const auto can = [&](RunAction action) { return refusal(action, run, data, engine).isEmpty(); };
    resume_->setVisible(can(RunAction::Resume));
    draft_->setVisible(can(RunAction::Draft));
    reproduce_->setVisible(can(RunAction::Reproduce));
    extend_->setVisible(can(RunAction::Extend));
    extraSteps_->setVisible(can(RunAction::Extend));
    extendsTo_->setVisible(can(RunAction::Extend));
    showExtension();
    continuation_->setVisible(can(RunAction::Extend) || can(RunAction::Reproduce));
}

// The end of a run planned by time is an estimate from its speed, not a plan.
QString InspectorPanel::extensionText(const store::RunSummary& run) const {
    const qint64 end = plannedEnd(run), more = extraSteps_->value();
    const QString to = countText(end + more), steps = countText(more);
    if (!plannedByTime_) return tr("to step %1, %2 more than planned").arg(to, steps);
    return run.step < end ? tr("to step %1, %2 more than the %3 expected").arg(to, steps, countText(end))
                          : tr("to step %1, %2 more than it has done").arg(to, steps);
}

void InspectorPanel::showExtension() {
    const store::RunSummary* run = context().catalog->run(id_);
    if (!run) return;
    const qint64 planned = plannedEnd(*run);
    extendsTo_->setText(extensionText(*run));
    extraSteps_->setAccessibleDescription(extendsTo_->text());
    extraSteps_->setToolTip(run->step < planned
                                ? tr("At step %1 of %2: the remaining planned steps are trained as well")
                                      .arg(countText(run->step), countText(planned))
                                : QString());
}

void InspectorPanel::showData(const RunData& data) {
    const QString text = valueOf(&data, "corpora"), known = id_ + text;
    if (std::exchange(shownData_, known) == known) return;
    DataRecord record;
    if (context().project) record.project = context().project->folder();
    const auto corpora = nlohmann::json::parse(text.toStdString(), nullptr, false);
    if (corpora.is_object())
        for (const auto& [file, hash] : corpora.items())
            if (hash.is_string()) record.corpora[file] = hash.get<std::string>();
    data_->setRecord(record);
}

void InspectorPanel::showChanges(const RunData* data) {
    std::filesystem::path folder;
    if (context().project) folder = context().project->runsFolder() / id_.toStdString();
    changes_->setRun(folder, valueOf(data, "project_revision").toStdString());
}

void InspectorPanel::fillSettings(const RunData* data) {
    const QString text = valueOf(data, "config");
    if (std::exchange(shownConfig_, text) == text) return;
    settings_->clear();
    auto config = context().engine->recorded(text.toStdString());
    checkpoints_->fork().setConfig(config ? std::optional(*config) : std::nullopt);
    plannedByTime_ = config && config->has("train.seconds") && config->real("train.seconds") > 0 &&
                     config->integer("train.steps") == 0;
    showExtension();
    config ? settings_->setConfig(*config) : settings_->setText(text);
}

void InspectorPanel::engineInfoChanged() {
    shownConfig_.clear();
    refresh();
}
bool InspectorPanel::hasData() const {
    return !id_.isEmpty() && context().catalog->run(id_);
}
QString InspectorPanel::statement() const {
    return name_->text();
}

}  // namespace kurve::views
