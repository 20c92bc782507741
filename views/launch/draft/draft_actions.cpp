#include "views/launch/draft/draft_actions.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/wire/fields.h"
#include "views/common/data/run_catalog.h"
#include "views/common/services/engine.h"
#include "views/common/services/machines.h"
#include "views/common/services/studio.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/launch/draft/starter_experiment.h"
#include "views/launch/queue.h"

namespace kurve::views {

namespace {

constexpr int kSettleMilliseconds = 500;

double totalOf(const nlohmann::json& estimate) {
    return wire::Fields(estimate).object("memory_mb").number("total");
}

}  // namespace

QString memoryShortage(const nlohmann::json& estimate) {
    const wire::Fields fields(estimate);
    if (fields.flag("fits", true)) return {};
    return DraftActions::tr("Needs about %1 of memory, %2 free")
        .arg(bytesText(totalOf(estimate) * 1e6), bytesText(fields.number("free_memory_mb") * 1e6));
}

DraftActions::DraftActions(const StudioContext& context, Draft& draft)
    : context_(context), draft_(draft), experiments_(*context.project) {
    settle_.setSingleShot(true);
    settle_.setInterval(kSettleMilliseconds);
    connect(&settle_, &QTimer::timeout, this, &DraftActions::estimate);
    connectDraft();
    draft_.setProject(QString::fromStdString(context.project->folder().string()));
    const auto takeMachines = [this] { draft_.setMachines(context_.ask<Machines>().devices()); };
    connect(&context_.ask<Machines>(), &Machines::changed, this, takeMachines);
    takeMachines();
    connect(&experiments_, &ExperimentWatch::changed, this, &DraftActions::listExperiments);
    listExperiments();
    addCommands();
    context.services->offer<DraftActions>(*this);
    context.services->offer<DraftForm>(*this);
}

void DraftActions::addCommands() {
    if (context_.commands == nullptr) return;
    const CommandGroup add(context_.commands, tr("Run"), nullptr, "launch.");
    add("reload", tr("Reload experiment"), {},
        tr("Read the experiment file of the draft again; changes of the draft are kept"),
        [this] { reloadExperiment(); });
    add("save_experiment", tr("Save draft as experiment"), {},
        tr("Show its TOML below the form, with a field for the name"), [this] {
            context_.ask<Studio>().reveal(QStringLiteral("launch"));
            Q_EMIT fileWanted();
        });
    add("create_experiment", tr("Create first experiment"), {},
        tr("Write experiments/first.toml: the smallest model on the project's corpus"),
        [this] { createExperiment(); });
}

void DraftActions::connectDraft() {
    connect(&draft_, &Draft::changed, this, [this] {
        if (draftText() != estimated_) shortage_.clear();
    });
    connect(&draft_, &Draft::experimentTaken, this, &DraftActions::reportTaken);
    connect(&draft_, &Draft::dropped, this, [this](const QStringList& settings) {
        Q_EMIT said(tr("Dropped from the draft (not a setting of its model): %1.")
                        .arg(settings.join(QStringLiteral(", "))));
    });
}

void DraftActions::listExperiments() {
    if (draft_.experiment().isEmpty() && !experiments().isEmpty())
        draft_.setExperiment(experiments().first());
    draft_.checkFile();
    Q_EMIT experimentsChanged();
}

void DraftActions::reloadExperiment() {
    Q_EMIT said(tr("Reloaded %1.").arg(QFileInfo(draft_.experiment()).fileName()));
    draft_.reloadFile();
}

void DraftActions::reportTaken(const QStringList& carried, const QStringList& dropped) {
    QStringList parts{tr("The draft is based on %1.").arg(QFileInfo(draft_.experiment()).completeBaseName())};
    if (!carried.isEmpty()) parts << tr("Kept: %1.").arg(carried.join(QStringLiteral(", ")));
    if (!dropped.isEmpty())
        parts << tr("Dropped (not a setting of its model): %1.").arg(dropped.join(QStringLiteral(", ")));
    parts << tr("Press Ctrl+Z in the form to restore the previous draft.");
    Q_EMIT said(parts.join(QLatin1Char(' ')));
}

void DraftActions::createExperiment() {
    const std::filesystem::path folder = context_.project->folder(),
                                file = folder / "experiments" / "first.toml";
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        return Q_EMIT said(tr("experiments/first.toml exists; choose it above."));
    const auto text = starterExperiment(*context_.engine, folder, "first");
    std::filesystem::create_directories(file.parent_path(), ignored);  // the write reports a failure
    const Status written = text ? writeFileAtomically(file, *text) : Status(text.error());
    if (!written) return Q_EMIT said(QString::fromStdString(written.error().text()));
    takeExperiment(QString::fromStdString(file.string()));
}

void DraftActions::takeExperiment(const QString& file) {
    draft_.revertAll();
    draft_.setPreset({});
    draft_.setName({});
    file == draft_.experiment() ? draft_.reloadFile() : draft_.setExperiment(file);  // it was missing
    experiments_.update();
    Q_EMIT said(tr("The draft is now experiment %1.").arg(QFileInfo(file).completeBaseName()));
}

void DraftActions::restorePrevious() {
    if (!draft_.canGoBack()) return Q_EMIT said(tr("There is no previous draft."));
    Q_EMIT shown({});
    draft_.goBack();
    Q_EMIT said(
        tr("Restored the previous draft: %1.").arg(QFileInfo(draft_.experiment()).completeBaseName()));
}

QString DraftActions::fileOf(const QJsonObject& saved) const {
    const QString name = saved.value(QStringLiteral("experiment")).toString();
    for (const QString& file : experiments())
        if (QFileInfo(file).fileName() == name) return file;
    return {};
}

QJsonObject DraftActions::save() const {
    QJsonObject json = draft_.save();
    if (!missing_.isEmpty()) json.insert(QStringLiteral("missing"), missing_);
    return json;
}

void DraftActions::restore(const QJsonObject& saved) {
    QJsonObject wanted = saved;
    missing_ = saved.value(QStringLiteral("missing")).toObject();
    const bool changed = !saved.value(QStringLiteral("values")).toObject().isEmpty();
    if (!changed && !missing_.isEmpty() && !fileOf(missing_).isEmpty()) wanted = std::exchange(missing_, {});
    const QString file = fileOf(wanted);
    if (file.isEmpty()) {  // renamed or removed: the draft waits until its experiment exists again
        if (wanted.contains(QStringLiteral("experiment"))) missing_ = wanted;
        return;
    }
    draft_.setExperiment(file);
    draft_.restore(wanted);
}

void DraftActions::adoptRun(const QString& runId) {
    const auto data = context_.catalog->data(runId);
    const std::string text = data ? data->value("config") : std::string();
    if (text.empty()) return Q_EMIT said(tr("The settings of this run cannot be read."));
    // On top of an experiment of the run's family, so that only settings differ.
    const auto wanted = context_.engine->recorded(text);
    const auto fits = [&](const QString& file) {
        const auto read = RunConfig::load(file.toStdString(), context_.engine->schemas());
        return read && read->family() == wanted->family();
    };
    QStringList files = experiments();
    files.prepend(draft_.experiment());
    const auto file = wanted ? std::ranges::find_if(files, fits) : files.begin();
    const Status status =
        draft_.adopt(QString::fromStdString(text), file == files.end() ? draft_.experiment() : *file);
    Q_EMIT shown({});
    Q_EMIT said(status ? tr("Loaded the settings of %1.").arg(runId)
                       : QString::fromStdString(status.error().text()));
}

void DraftActions::useSchedule(const QString& schedule, const QMap<QString, QString>& parameters) {
    const Schema* schema = draft_.schema();
    const auto takesFiles = [](const FieldSpec& field) {
        return std::ranges::find(field.prefixes, "file:") != field.prefixes.end();
    };
    const auto field =
        schema ? std::ranges::find_if(schema->fields, takesFiles) : std::vector<FieldSpec>::const_iterator();
    if (!schema || field == schema->fields.end())
        return Q_EMIT said(tr("The model of the draft has no noise schedule."));
    const QString key = QString::fromStdString(field->key), table = key.section(QLatin1Char('.'), 0, -2);
    QStringList changed{key};
    draft_.setValue(key, schedule);
    for (auto it = parameters.begin(); it != parameters.end(); ++it) {
        const QString beside = table + QLatin1Char('.') + it.key();
        if (!schema->find(beside.toStdString())) continue;
        draft_.setValue(beside, it.value());
        changed << beside;
    }
    show(changed);
}

std::function<void()> DraftActions::useSettings(const QMap<QString, QString>& values) {
    QMap<QString, QString> before;
    for (const QString& key : values.keys()) before[key] = draft_.valueText(key);
    writeSettings(values);
    return [this, before] { writeSettings(before); };
}

void DraftActions::writeSettings(const QMap<QString, QString>& values) {
    const Schema* schema = draft_.schema();
    QStringList changed;
    for (auto it = values.begin(); schema != nullptr && it != values.end(); ++it) {
        if (!schema->find(it.key().toStdString()) || draft_.valueText(it.key()) == it.value()) continue;
        draft_.setValue(it.key(), it.value());
        changed << it.key();
    }
    const bool known =
        schema != nullptr && std::any_of(values.keyBegin(), values.keyEnd(), [&](const QString& key) {
            return schema->find(key.toStdString()) != nullptr;
        });
    if (!known) return Q_EMIT said(tr("The model of the draft has no such settings."));
    show(changed);
}

/// The settings that were changed, and says so.
void DraftActions::show(const QStringList& changed) {
    Q_EMIT shown(changed.value(0));
    Q_EMIT said(changed.isEmpty() ? tr("The draft already has these settings.")
                                  : tr("Set in the draft: %1.").arg(changed.join(QStringLiteral(", "))));
}

bool DraftActions::isLoading() const {
    return context_.engine->families().empty() && context_.ask<Engine>().problem().isEmpty();
}

bool DraftActions::waits(Request request) {
    if (!isLoading() || !context_.ask<Engine>().available()) return false;
    waiting_ = request;
    context_.commands->trigger(QStringLiteral("workspace.train"));
    Q_EMIT said(tr("Waiting for the engine description…"));
    return true;
}

void DraftActions::engineChanged() {
    draft_.setEngine(context_.engine);
    if (isLoading()) return;
    const QString problem = context_.ask<Engine>().problem();
    if (problem.isEmpty()) return runWaiting();
    if (std::exchange(waiting_, nullptr)) Q_EMIT said(problem);
}

void DraftActions::runWaiting() {
    if (const Request request = std::exchange(waiting_, nullptr)) (this->*request)();
}

bool DraftActions::isReady() {
    context_.commands->trigger(QStringLiteral("workspace.train"));
    if (const Status engine = context_.ask<Engine>().available(); !engine) {
        Q_EMIT said(QString::fromStdString(engine.error().text()));
        return false;
    }
    draft_.checkFile();
    if (draft_.isValid()) return true;
    Q_EMIT refused();
    Q_EMIT said(tr("The draft has errors; see the form."));
    return false;
}

void DraftActions::queue() {
    if (waits(&DraftActions::queue) || !isReady() || !fits()) return;
    std::vector<QueueItem> items;
    for (std::size_t run = 0; run < draft_.runs().size(); ++run) {
        items.push_back(draft_.queueItem(run));
        if (refused_ == draftText()) items.back().words << QStringLiteral("--force");
    }
    context_.ask<Queue>().add(std::move(items));
    context_.ask<Studio>().reveal(QStringLiteral("queue"));
    Q_EMIT said(draft_.runs().size() > 1 ? tr("Queued %1 runs.").arg(draft_.runs().size())
                                         : tr("Queued: %1").arg(draft_.queueItem().title));
}

void DraftActions::measure() {
    if (endMeasuring_) {
        std::exchange(endMeasuring_, nullptr)();
        Q_EMIT notMeasured({});
        Q_EMIT said(tr("The dry run was cancelled."));
        return runWaiting();
    }
    if (waits(&DraftActions::measure) || !isReady()) return;
    // Of a run matrix the first two.
    std::vector<QStringList> runs;
    for (std::size_t run = 0; run < std::min<std::size_t>(2, draft_.runs().size()); ++run)
        runs.push_back(draft_.words(run));
    for (QStringList& words : runs) words << draft_.placeWords();
    measureNext(std::move(runs), {});
}

/// An estimate is of this machine, also of a draft for another one (PlanBar says so): with the device that
/// this engine chooses.
QStringList DraftActions::localDevice() const {
    if (!draft_.machine().isEmpty() || draft_.device().isEmpty()) return {};
    return {QStringLiteral("--device"), draft_.device()};
}

/// Whether these are still the first runs of the draft: a dry run does not hold for an edited draft.
bool DraftActions::stillDrafted(const std::vector<QStringList>& runs) const {
    if (draft_.runs().size() < runs.size()) return false;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (draft_.words(run) + draft_.placeWords() != runs[run]) return false;
    return true;
}

void DraftActions::measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known) {
    const bool done = known.size() == runs.size();
    Q_EMIT measured(done ? known : std::vector<nlohmann::json>());
    if (done) return runWaiting();
    const QStringList words = runs[known.size()] + QStringList{QStringLiteral("--dry-run")};
    const auto next = [this, runs, known](const Result<nlohmann::json>& answer) mutable {
        endMeasuring_ = nullptr;
        if (!stillDrafted(runs)) {
            Q_EMIT said(tr("The draft changed during the dry run; start it again."));
            return runWaiting();
        }
        if (!answer) {
            Q_EMIT notMeasured(QString::fromStdString(answer.error().text()));
            return runWaiting();
        }
        known.push_back(*answer);
        measureNext(std::move(runs), std::move(known));
    };
    endMeasuring_ = context_.ask<Engine>().call(words, next, this);
}

QString DraftActions::draftText() const {
    return draft_.commandLine({}) + draft_.axes().join(QLatin1Char(' '));
}

bool DraftActions::fits() {
    if (shortage_.isEmpty()) refused_.clear();
    if (shortage_.isEmpty() || refused_ == draftText()) return true;
    refused_ = draftText();
    Q_EMIT said(tr("%1. Start again to train anyway.").arg(shortage_));
    return false;
}

void DraftActions::estimateSoon() {
    if (draftText() == estimated_) return;
    estimated_.clear();  // estimate again also if the draft is changed back
    settle_.start();
}

void DraftActions::estimate() {
    if (!draft_.isValid() || !context_.ask<Engine>().available()) return;
    if (endEstimate_) endEstimate_();
    estimated_ = draftText();
    // Of a run matrix the first and the last, one of which is the largest.
    const std::size_t last = draft_.runs().size() - 1;
    std::vector<QStringList> runs{draft_.queueItem(last).words};
    if (last > 0) runs.push_back(draft_.queueItem(0).words);
    for (QStringList& words : runs) words << QStringLiteral("--estimate") << localDevice();
    estimateNext(std::move(runs), nullptr);
}

void DraftActions::estimateNext(std::vector<QStringList> runs, nlohmann::json most) {
    const QStringList words = runs.back();
    runs.pop_back();
    const auto next = [this, runs, most, draft = estimated_](const Result<nlohmann::json>& answer) {
        if (draft != draftText()) return;  // edited meanwhile: estimated again soon
        if (!answer) {
            const bool early = answer.error().code == "data.not_prepared";
            return Q_EMIT estimated(nullptr, early
                                                 ? tr("Memory estimate available after a dry run or a start")
                                                 : QString::fromStdString(answer.error().text()));
        }
        const nlohmann::json larger = totalOf(*answer) > totalOf(most) ? *answer : most;
        if (!runs.empty()) return estimateNext(runs, larger);
        if (draft_.machine().isEmpty()) shortage_ = memoryShortage(larger);
        Q_EMIT estimated(larger, {});
    };
    endEstimate_ = context_.ask<Engine>().call(words, next, this);
}

void DraftActions::train() {
    if (waits(&DraftActions::train) || !isReady()) return;
    if (endMeasuring_) {  // both at once would distort the measurement
        waiting_ = &DraftActions::train;
        return Q_EMIT said(tr("Training starts after the dry run; press %1 to cancel the dry run.")
                               .arg(context_.commands->keyText(QStringLiteral("run.measure"))));
    }
    if (draft_.runs().size() > 1) return queue();
    if (!fits()) return;
    const QString id = context_.ask<Trainings>().startTraining(
        draft_.experiment(), draft_.sets(), {draft_.device(), draft_.machine(), draft_.processes()},
        /*force=*/refused_ == draftText());
    context_.selection->setRuns({id});
}

}  // namespace kurve::views
