#include "views/launch/launch_panel.h"

#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/content_or_empty.h"
#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/theme.h"
#include "views/launch/launch_foot.h"
#include "views/launch/plan_bar.h"
#include "views/launch/settings_form.h"

namespace kurve::views {

namespace {

constexpr int kFormWidth = 370;  ///< name, value and unit of a setting

QLabel* caption(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "caption");
    return label;
}

QPushButton* quiet(const QString& id, const QString& text, const QString& tip, bool checkable = false) {
    auto* button = new QPushButton(text);
    button->setObjectName(id);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setProperty("role", "quiet");
    button->setCheckable(checkable);
    return button;
}

}  // namespace

LaunchPanel::LaunchPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("launch"), tr("Launch"), context, parent),
      draft_(new Draft(this)),
      empty_(new EmptyState),
      foot_(new LaunchFoot(context)) {
    form_ = new SettingsForm({
        [this](const QString& key) {
            return liveConfig_ ? QString::fromStdString(fieldValueText(liveConfig_->value(key.toStdString())))
                               : draft_->valueText(key);
        },
        [this](const QString& key) {
            if (!liveConfig_) return draft_->differsFromDefault(key);
            const auto* field = liveConfig_->schema().find(key.toStdString());
            return field &&
                   fieldValueText(field->fallback) != fieldValueText(liveConfig_->value(key.toStdString()));
        },
        [this](const QString& key) { return !liveConfig_ && draft_->isOverridden(key); },
        [this](const QString& key) { return liveConfig_ ? QString() : draft_->errors().value(key); },
    });
    form_->setObjectName(QStringLiteral("launch.form"));
    form_->setMinimumWidth(px(kFormWidth));
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildHead());
    layout->addWidget(form_, 1);
    layout->addWidget(foot_);
    content_ = new ContentOrEmpty(page, empty_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(content_);
    setProperty("role", "surface");
    setAttribute(Qt::WA_StyledBackground);

    connect(empty_, &EmptyState::clicked, this, &LaunchPanel::retryRequested);
    connect(&foot_->plan(), &PlanBar::drawsChosen, draft_, &Draft::setDraws);
    connect(foot_, &LaunchFoot::said, this, &Panel::statusMessage);
    connect(foot_, &LaunchFoot::experimentSaved, this, &LaunchPanel::takeExperiment);
    connect(foot_, &LaunchFoot::copied, this, [this] { Q_EMIT statusMessage(tr("Command line copied.")); });
    connect(form_, &SettingsForm::edited, draft_, &Draft::setValue);
    connect(form_, &SettingsForm::reverted, draft_, &Draft::revert);
    connect(form_, &SettingsForm::liveSet, this, &LaunchPanel::liveSetRequested);
    connect(draft_, &Draft::schemaChanged, this, &LaunchPanel::rebuildForm);
    connect(draft_, &Draft::changed, this, [this] {
        refresh();
        Q_EMIT draftChanged();
    });
    connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == liveRun_ && runTab_->isChecked()) takeLiveConfig();
    });
    listExperiments();
    engineInfoChanged();
}

QWidget* LaunchPanel::buildHead() {
    head_ = new QWidget;
    draftTab_ =
        quiet(QStringLiteral("launch.draft"), tr("New run"), tr("The run that is being prepared"), true);
    runTab_ = quiet(QStringLiteral("launch.running"), tr("Running"),
                    tr("Settings of the live run; some may be changed now"), true);
    draftTab_->setChecked(true);
    runTab_->hide();
    draftTab_->hide();
    experiment_ = new QComboBox;
    experiment_->setObjectName(QStringLiteral("launch.experiment"));
    experiment_->setAccessibleName(tr("Experiment file"));
    preset_ = new QComboBox;
    preset_->setObjectName(QStringLiteral("launch.preset"));
    preset_->setAccessibleName(tr("Preset"));
    name_ = new QLineEdit;
    name_->setObjectName(QStringLiteral("launch.name"));
    name_->setAccessibleName(tr("Name of the run"));
    search_ = new QLineEdit;
    search_->setObjectName(QStringLiteral("launch.search"));
    search_->setPlaceholderText(tr("Find a setting"));
    search_->setAccessibleName(tr("Find a setting"));
    search_->setClearButtonEnabled(true);
    changedOnly_ = quiet(QStringLiteral("launch.changed"), tr("Changed"),
                         tr("Only what differs from the defaults"), true);
    revertAll_ = quiet(QStringLiteral("launch.revert"), tr("Revert all"), tr("Back to the experiment file"));
    about_ = caption({});
    about_->setWordWrap(true);

    auto* tabs = new QHBoxLayout;
    tabs->setSpacing(px(2));
    tabs->addWidget(draftTab_);
    tabs->addWidget(runTab_);
    tabs->addStretch(1);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(px(space::kSmall));
    grid->setVerticalSpacing(px(6));
    grid->addWidget(caption(tr("Experiment")), 0, 0);
    grid->addWidget(experiment_, 0, 1);
    grid->addWidget(caption(tr("Preset")), 1, 0);
    grid->addWidget(preset_, 1, 1);
    grid->addWidget(caption(tr("Name")), 2, 0);
    grid->addWidget(name_, 2, 1);
    grid->setColumnStretch(1, 1);
    auto* find = new QHBoxLayout;
    find->addWidget(search_, 1);
    find->addWidget(changedOnly_);
    find->addWidget(revertAll_);
    auto* layout = new QVBoxLayout(head_);
    layout->setContentsMargins(px(space::kMedium), px(space::kSmall), px(space::kMedium), px(space::kSmall));
    layout->setSpacing(px(space::kSmall));
    layout->addLayout(tabs);
    layout->addLayout(grid);
    layout->addWidget(about_);
    layout->addLayout(find);

    connect(experiment_, &QComboBox::activated, this,
            [this](int row) { draft_->setExperiment(experiment_->itemData(row).toString()); });
    connect(preset_, &QComboBox::activated, this,
            [this](int row) { draft_->setPreset(preset_->itemData(row).toString()); });
    connect(name_, &QLineEdit::textEdited, draft_, &Draft::setName);
    connect(search_, &QLineEdit::textChanged, form_, &SettingsForm::setSearch);
    connect(changedOnly_, &QPushButton::toggled, form_, &SettingsForm::setChangedOnly);
    connect(revertAll_, &QPushButton::clicked, draft_, &Draft::revertAll);
    connect(draftTab_, &QPushButton::clicked, this, [this] { showRunning(false); });
    connect(runTab_, &QPushButton::clicked, this, [this] { showRunning(true); });
    return head_;
}

void LaunchPanel::listExperiments() {
    if (!context().project) return;
    for (const auto& file : context().project->experiments())
        experiment_->addItem(QString::fromStdString(file.stem().string()),
                             QString::fromStdString(file.string()));
    if (experiment_->count() > 0) draft_->setExperiment(experiment_->itemData(0).toString());
}

void LaunchPanel::takeExperiment(const QString& file) {
    const QString name = QFileInfo(file).completeBaseName();
    experiment_->addItem(name, file);
    draft_->revertAll();
    draft_->setPreset({});
    draft_->setName({});
    draft_->setExperiment(file);
    Q_EMIT statusMessage(tr("The draft is the experiment %1 now.").arg(name));
}

void LaunchPanel::engineInfoChanged() {
    draft_->setEngine(context().engine);
    rebuildForm();
    refresh();
    if (runTab_->isChecked()) takeLiveConfig();
}

void LaunchPanel::setProblem(const QString& text) {
    engineProblem_ = text;
    refresh();
}

void LaunchPanel::rebuildForm() {
    filling_ = true;
    preset_->clear();
    preset_->addItem(tr("as in the experiment file"), QString());
    if (const Schema* schema = draft_->schema())
        for (const Preset& preset : schema->presets) {
            preset_->addItem(QString::fromStdString(preset.name), QString::fromStdString(preset.name));
            preset_->setItemData(preset_->count() - 1, QString::fromStdString(preset.doc), Qt::ToolTipRole);
        }
    preset_->setCurrentIndex(std::max(0, preset_->findData(draft_->preset())));
    experiment_->setCurrentIndex(experiment_->findData(draft_->experiment()));
    filling_ = false;
    form_->setRunning(liveConfig_.has_value());
    form_->setSchema(liveConfig_ ? &liveConfig_->schema() : draft_->schema());
    form_->refresh();
}

void LaunchPanel::refresh() {
    const bool haveEngine = context().engine && !context().engine->families().empty();
    content_->setEmpty(!haveEngine || experiment_->count() == 0);
    if (!haveEngine && !engineProblem_.isEmpty())
        empty_->setTexts(tr("The engine cannot be asked what it knows"), engineProblem_, tr("Try again"));
    else if (!haveEngine)
        empty_->setTexts(tr("Asking the engine what it knows…"), tr("Once per build of the engine."));
    else if (experiment_->count() == 0)
        empty_->setTexts(tr("This project has no experiment"),
                         tr("Put a .toml file into its experiments folder (kurve new shows one)."));
    form_->refresh();
    const bool running = liveConfig_.has_value();
    const QString fileName = QFileInfo(draft_->experiment()).completeBaseName();
    name_->setPlaceholderText(draft_->config() ? QString::fromStdString(draft_->config()->name()) : fileName);
    if (!name_->hasFocus()) name_->setText(draft_->name());
    QString length;
    if (draft_->config() && draft_->config()->has("train.seconds") &&
        draft_->config()->real("train.seconds") > 0)
        length = tr(" · takes about %1 min").arg(durationText(draft_->config()->real("train.seconds")));
    if (const Schema* schema = draft_->schema())
        about_->setText(QString::fromStdString(schema->title) + length +
                        (schema->paper.empty()
                             ? QString()
                             : QStringLiteral("\n") + QString::fromStdString(schema->paper)));
    foot_->showDraft(*draft_, running);
    revertAll_->setVisible(!running && !draft_->sets().isEmpty());
}

void LaunchPanel::setLiveRun(const QString& id, const QString& stateText) {
    const bool changed = id != liveRun_;
    liveRun_ = id;
    runTab_->setVisible(!id.isEmpty());
    draftTab_->setVisible(!id.isEmpty());
    runTab_->setText(stateText);
    if (id.isEmpty() && runTab_->isChecked()) showRunning(false);
    if (changed && !id.isEmpty()) showRunning(true);
}

void LaunchPanel::showRunning(bool on) {
    draftTab_->setChecked(!on);
    runTab_->setChecked(on);
    if (on) return takeLiveConfig();
    liveConfig_.reset();
    for (QWidget* widget :
         {static_cast<QWidget*>(experiment_), static_cast<QWidget*>(preset_), static_cast<QWidget*>(name_)})
        widget->setEnabled(true);
    rebuildForm();
    refresh();
}

void LaunchPanel::takeLiveConfig() {
    const auto data = context().catalog->data(liveRun_);
    if (!data) return;
    const auto text = data->values.find("config");
    if (text == data->values.end() || !context().engine) return;
    const auto changed = data->values.find("live_settings");
    const bool isChanged = changed != data->values.end();
    std::string both = text->second + (isChanged ? changed->second : std::string());
    if (liveConfig_ && both == liveText_) return;
    liveText_ = std::move(both);
    auto config = RunConfig::parse(text->second, "run.db", context().engine->schemas());
    if (config && isChanged) {
        const auto now = nlohmann::json::parse(changed->second, nullptr, false);
        std::vector<Override> live;
        if (now.is_object())
            for (const auto& [key, value] : now.items())
                if (value.is_string()) live.emplace_back(key, value.get<std::string>());
        if (auto with = config->with(live)) config = std::move(*with);
    }
    if (!config || (liveConfig_ && liveConfig_->canonicalText() == config->canonicalText())) return;
    const bool first = !liveConfig_;
    liveConfig_ = std::move(*config);
    for (QWidget* widget :
         {static_cast<QWidget*>(experiment_), static_cast<QWidget*>(preset_), static_cast<QWidget*>(name_)})
        widget->setEnabled(false);
    if (first) rebuildForm();
    refresh();
}

void LaunchPanel::focusFirstError() {
    showRunning(false);
    for (const QString& key : draft_->errors().keys())
        if (!key.isEmpty() && form_->focusField(key)) return;
    experiment_->setFocus();
}

void LaunchPanel::adoptRun(const QString& runId) {
    const auto data = context().catalog->data(runId);
    const auto text =
        data ? data->values.find("config") : std::map<std::string, std::string>::const_iterator();
    if (!data || text == data->values.end())
        return Q_EMIT statusMessage(tr("This run has no settings that can be read."));
    // Take an experiment of the run's family, so that only settings differ.
    auto wanted = context().engine
                      ? RunConfig::parse(text->second, "run.db", context().engine->schemas())
                      : Result<RunConfig>(requestError("engine.describe", "the engine is not known yet"));
    for (int row = 0; wanted && row < experiment_->count() &&
                      (!draft_->schema() || draft_->schema()->family != wanted->family());
         ++row)
        draft_->setExperiment(experiment_->itemData(row).toString());
    const Status status = draft_->adopt(QString::fromStdString(text->second));
    showRunning(false);
    Q_EMIT statusMessage(status ? tr("The settings of %1 are in the form.").arg(runId)
                                : QString::fromStdString(status.error().text()));
}

void LaunchPanel::useSchedule(const QString& schedule, const QMap<QString, QString>& parameters) {
    const Schema* schema = draft_->schema();
    const auto takesFiles = [](const FieldSpec& field) {
        return std::find(field.prefixes.begin(), field.prefixes.end(), "file:") != field.prefixes.end();
    };
    const auto field = schema ? std::find_if(schema->fields.begin(), schema->fields.end(), takesFiles)
                              : std::vector<FieldSpec>::const_iterator();
    if (!schema || field == schema->fields.end())
        return Q_EMIT statusMessage(tr("The draft's experiment has no noise schedule to set."));
    const QString key = QString::fromStdString(field->key), table = key.section(QLatin1Char('.'), 0, -2);
    QStringList changed{key};
    draft_->setValue(key, schedule);
    for (auto it = parameters.begin(); it != parameters.end(); ++it) {
        const QString beside = table + QLatin1Char('.') + it.key();
        if (!schema->find(beside.toStdString())) continue;
        draft_->setValue(beside, it.value());
        changed << beside;
    }
    showRunning(false);
    form_->focusField(key);
    Q_EMIT statusMessage(tr("Set in the draft: %1.").arg(changed.join(QStringLiteral(", "))));
}

void LaunchPanel::useSettings(const QMap<QString, QString>& values) {
    const Schema* schema = draft_->schema();
    QStringList changed;
    for (auto it = values.begin(); schema != nullptr && it != values.end(); ++it) {
        if (!schema->find(it.key().toStdString()) || draft_->valueText(it.key()) == it.value()) continue;
        draft_->setValue(it.key(), it.value());
        changed << it.key();
    }
    const bool known =
        schema != nullptr && std::any_of(values.keyBegin(), values.keyEnd(), [&](const QString& key) {
            return schema->find(key.toStdString()) != nullptr;
        });
    if (!known) return Q_EMIT statusMessage(tr("The draft's model has no such settings."));
    showRunning(false);
    if (changed.isEmpty()) return Q_EMIT statusMessage(tr("The draft has these settings already."));
    form_->focusField(changed.front());
    Q_EMIT statusMessage(tr("Set in the draft: %1.").arg(changed.join(QStringLiteral(", "))));
}

PlanBar& LaunchPanel::plan() {
    return foot_->plan();
}
bool LaunchPanel::hasData() const {
    return draft_->schema() != nullptr;
}
QString LaunchPanel::statement() const {
    return foot_->command();
}

QJsonObject LaunchPanel::save() const {
    QJsonObject json = draft_->save();
    json.insert(QStringLiteral("open"), form_->openGroups().join(QLatin1Char(',')));
    return json;
}

void LaunchPanel::restore(const QJsonObject& json) {
    const int row = experiment_->findText(
        QFileInfo(json.value(QStringLiteral("experiment")).toString()).completeBaseName());
    if (row < 0) return;
    draft_->setExperiment(experiment_->itemData(row).toString());
    draft_->restore(json);
    if (json.contains(QStringLiteral("open")))
        form_->setOpenGroups(json.value(QStringLiteral("open")).toString().split(QLatin1Char(',')));
}

}  // namespace kurve::views
