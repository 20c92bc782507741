#include "views/runs/inspector_panel.h"

#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTabWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "views/common/content_or_empty.h"
#include "views/common/empty_state.h"
#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/sampler_settings.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"
#include "views/runs/data_badge.h"
#include "views/runs/fork_form.h"
#include "views/runs/lineage_tree.h"
#include "views/runs/project_changes.h"
#include "views/runs/run_facts.h"

namespace kurve::views {

namespace {

QString qt(const std::string& text) {
    return QString::fromStdString(text);
}

QString valueOf(const RunData* data, std::initializer_list<const char*> keys) {
    if (!data) return {};
    for (const char* key : keys)
        if (const auto found = data->values.find(key); found != data->values.end()) return qt(found->second);
    return {};
}

QLabel* caption(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "section");
    return label;
}

}  // namespace

InspectorPanel::InspectorPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("inspector"), tr("Inspector"), context, parent),
      empty_(new EmptyState),
      name_(new QLabel),
      state_(new QLabel),
      reason_(new QLabel),
      facts_(new QLabel),
      resume_(new QPushButton(tr("Resume"))),
      draft_(new QPushButton(tr("Use as draft"))),
      tags_(new QLineEdit),
      search_(new QLineEdit),
      notes_(new QPlainTextEdit),
      lineage_(new LineageTree),
      data_(new DataBadge),
      settings_(new QTreeWidget),
      checkpoints_(new CheckpointTable),
      evaluation_(new EvaluateForm),
      changes_(new ProjectChanges(this)),
      tabs_(new QTabWidget) {
    name_->setProperty("role", "headline");
    name_->setWordWrap(true);
    name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    reason_->setProperty("role", "caption");
    reason_->setWordWrap(true);
    facts_->setTextFormat(Qt::RichText);
    facts_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    facts_->setWordWrap(true);
    resume_->setObjectName(QStringLiteral("inspector.resume"));
    resume_->setToolTip(tr("Go on from the last checkpoint, exactly"));
    draft_->setObjectName(QStringLiteral("inspector.draft"));
    draft_->setToolTip(tr("Copy this run's settings into the form of the Train workspace"));
    tags_->setPlaceholderText(tr("Tags, separated by spaces"));
    tags_->setObjectName(QStringLiteral("inspector.tags"));
    tags_->setAccessibleName(tr("Tags of the run"));
    notes_->setPlaceholderText(tr("Notes"));
    notes_->setObjectName(QStringLiteral("inspector.notes"));
    notes_->setAccessibleName(tr("Notes on the run"));
    notes_->setFixedHeight(px(68));
    notes_->setTabChangesFocus(true);
    search_->setPlaceholderText(tr("Find a setting"));
    search_->setObjectName(QStringLiteral("inspector.search"));
    search_->setAccessibleName(tr("Find a setting"));
    search_->setClearButtonEnabled(true);
    settings_->setRootIsDecorated(false);
    settings_->setUniformRowHeights(true);
    settings_->setSelectionMode(QAbstractItemView::SingleSelection);
    settings_->header()->setStretchLastSection(true);
    settings_->setTextElideMode(Qt::ElideMiddle);
    settings_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    settings_->setObjectName(QStringLiteral("inspector.settings"));
    settings_->setAccessibleName(tr("Settings of the run"));
    settings_->setHeaderLabels({tr("Setting"), tr("Value")});
    settings_->setColumnWidth(0, px(132));

    auto* settingsPage = new QWidget;
    auto* settingsLayout = new QVBoxLayout(settingsPage);
    settingsLayout->setContentsMargins(0, px(space::kSmall), 0, 0);
    settingsLayout->addWidget(search_);
    settingsLayout->addWidget(settings_, 1);
    tabs_->setDocumentMode(true);
    tabs_->addTab(settingsPage, tr("Settings"));
    tabs_->addTab(checkpoints_, tr("Checkpoints"));
    tabs_->addTab(evaluation_, tr("Scores"));

    auto* buttons = new WrapLayout;
    buttons->addWidget(resume_);
    buttons->addWidget(draft_);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(px(space::kMedium), px(space::kMedium), px(space::kMedium), 0);
    layout->setSpacing(px(space::kSmall));
    layout->addWidget(name_);
    layout->addWidget(state_);
    layout->addWidget(reason_);
    layout->addLayout(buttons);
    layout->addWidget(buildContinuation());
    layout->addWidget(data_);
    layout->addWidget(facts_);
    layout->addWidget(lineage_);
    layout->addWidget(caption(tr("TAGS AND NOTES")));
    layout->addWidget(tags_);
    layout->addWidget(notes_);
    layout->addWidget(tabs_, 1);
    content_ = new ContentOrEmpty(page, empty_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(content_);

    saveLater_.setSingleShot(true);
    saveLater_.setInterval(600);
    connect(&saveLater_, &QTimer::timeout, this, &InspectorPanel::saveNotes);
    connect(notes_, &QPlainTextEdit::textChanged, this, [this] {
        if (!filling_) saveLater_.start();
    });
    connect(tags_, &QLineEdit::editingFinished, this, [this] {
        if (!id_.isEmpty() && tags_->isModified())
            this->context().catalog->setTags(id_, tags_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts));
        tags_->setModified(false);
    });
    connect(empty_, &EmptyState::clicked, this, [this] {
        const auto& runs = this->context().catalog->runs();
        if (!runs.empty()) this->context().selection->setRuns({qt(runs.back().id)});
    });
    connect(search_, &QLineEdit::textChanged, this, &InspectorPanel::applySettingsFilter);
    connect(resume_, &QPushButton::clicked, this, [this] { wish(RunWish::Kind::Resume); });
    connect(checkpoints_, &CheckpointTable::wished, this, &InspectorPanel::wished);
    connect(draft_, &QPushButton::clicked, this, [this] { Q_EMIT draftRequested(id_); });
    connect(data_, &DataBadge::judged, this, &InspectorPanel::refresh);
    connect(lineage_, &LineageTree::runRequested, this, &InspectorPanel::runRequested);
    connect(facts_, &QLabel::linkActivated, this, &InspectorPanel::follow);
    connect(context.selection, &Selection::runsChanged, this, &InspectorPanel::selectionChanged);
    connect(context.catalog, &RunCatalog::runsChanged, this, &InspectorPanel::refresh);
    connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == id_) refresh();
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        shownConfig_.clear();  // its rows hold colours
        refresh();
    });
    selectionChanged();
}

QWidget* InspectorPanel::buildContinuation() {
    continuation_ = new QWidget;
    again_ = new QPushButton(tr("Again exactly"));
    again_->setObjectName(QStringLiteral("inspector.again"));
    again_->setToolTip(
        tr("Train it again with the same settings, seeds and threads, and say which step differs first"));
    extend_ = new QPushButton(tr("Extend by"));
    extend_->setObjectName(QStringLiteral("inspector.extend"));
    extend_->setToolTip(tr("Go on from its last checkpoint for so many more steps"));
    extra_ = new QSpinBox;
    extra_->setObjectName(QStringLiteral("inspector.extra"));
    extra_->setAccessibleName(tr("Steps to extend by"));
    extra_->setRange(1, 100000000);
    extra_->setValue(1000);
    extra_->setSuffix(tr(" steps"));
    auto* layout = new WrapLayout(continuation_);
    layout->addWidget(extend_);
    layout->addWidget(extra_);
    layout->addWidget(again_);
    connect(again_, &QPushButton::clicked, this, [this] { wish(RunWish::Kind::Again); });
    connect(extend_, &QPushButton::clicked, this, [this] { wish(RunWish::Kind::Extend); });
    return continuation_;
}

void InspectorPanel::openEvaluation() {
    tabs_->setCurrentWidget(evaluation_);
    evaluation_->findChild<QWidget*>(QStringLiteral("evaluate.go"))->setFocus(Qt::OtherFocusReason);
}

void InspectorPanel::follow(const QString& link) {
    if (link != QLatin1String(kProjectChangesLink)) {
        Q_EMIT runRequested(link);
        return;
    }
    changes_->setWindowTitle(tr("Changes of the project: %1").arg(name_->text()));
    changes_->show();
    changes_->raise();
    changes_->activateWindow();
}

void InspectorPanel::wish(RunWish::Kind kind) {
    const store::RunSummary* run = context().catalog->run(id_);
    if (!run) return;
    RunWish wish;
    wish.kind = kind;
    wish.run = id_;
    wish.steps = run->step + extra_->value();
    Q_EMIT wished(wish);
}

InspectorPanel::~InspectorPanel() {
    if (saveLater_.isActive()) saveNotes();
}

void InspectorPanel::selectionChanged() {
    show(context().selection->primaryRun());
}

void InspectorPanel::show(const QString& id) {
    if (id != id_) {
        if (saveLater_.isActive()) saveNotes();
        data_->setRecord({});  // still of the run before: this may refresh
        if (!id_.isEmpty()) context().catalog->unwatch(id_);
        id_ = id;
        shownConfig_.clear();
        shownData_.clear();
        settings_->clear();
        if (!id_.isEmpty()) context().catalog->watch(id_);
    }
    refresh();
}

void InspectorPanel::refresh() {
    const store::RunSummary* run = id_.isEmpty() ? nullptr : context().catalog->run(id_);
    content_->setEmpty(run == nullptr);
    if (!run) {
        evaluation_->setRuns({}, nullptr, nullptr);
        empty_->setTexts(
            id_.isEmpty() ? tr("Nothing selected") : tr("Not written yet"),
            id_.isEmpty() ? tr("Select a run on the left to see its settings, notes and checkpoints.")
                          : tr("The engine is creating this run."),
            id_.isEmpty() && !context().catalog->runs().empty() ? tr("Select the newest run") : QString());
        return;
    }
    filling_ = true;
    const auto data = context().catalog->data(id_);
    name_->setText(qt(run->name.empty() ? run->id : run->name));
    const StateLook look = stateLook(run->state);
    state_->setText(QStringLiteral("<span style=\"color:%1\">%2 %3</span>")
                        .arg(look.color.name(), look.glyph, look.text));
    QString reason = qt(run->reason);
    if (data && !data->error.isEmpty()) reason = data->error;
    reason_->setText(reason);
    reason_->setVisible(!reason.isEmpty());
    const bool live = run->state == "running" || run->state == "paused" || run->state == "stopping";
    resume_->setVisible(!live && run->state != "completed");
    continuation_->setVisible(!live && !run->bundled);
    facts_->setText(runFacts(*run, data.get(), data_->verdict().isFine()));
    if (!tags_->hasFocus()) {
        QStringList tags;
        for (const auto& tag : run->tags) tags << qt(tag);
        tags_->setText(tags.join(QLatin1Char(' ')));
    }
    if (!notes_->hasFocus() && !saveLater_.isActive() && notes_->toPlainText() != qt(run->notes))
        notes_->setPlainText(qt(run->notes));
    lineage_->setRun(id_, data.get(), *context().catalog);
    if (data) showData(*data);
    fillSettings(data.get());
    checkpoints_->setRun(id_, data.get(), live);
    evaluation_->setRuns(context().selection->runs(), run, data.get());
    evaluation_->setDefaultSampler(id_, data.get());
    showChanges(data.get());
    evaluation_->setJudges(judgingRuns(*context().catalog, *context().engine));
    filling_ = false;
}

void InspectorPanel::showData(const RunData& data) {
    const QString told = id_ + valueOf(&data, {"corpora"}) + valueOf(&data, {"data_hash"});
    if (std::exchange(shownData_, told) == told) return;
    DataRecord record;
    if (context().project) record.project = context().project->folder();
    const auto corpora = nlohmann::json::parse(valueOf(&data, {"corpora"}).toStdString(), nullptr, false);
    if (corpora.is_object())
        for (const auto& [file, hash] : corpora.items())
            if (hash.is_string()) record.corpora[file] = hash.get<std::string>();
    record.fingerprint = valueOf(&data, {"data_hash"}).toStdString();
    record.sourceTokenizer = valueOf(&data, {"source_tokenizer_hash"}).toStdString();
    record.targetTokenizer = valueOf(&data, {"tokenizer_hash"}).toStdString();
    auto config =
        RunConfig::parse(valueOf(&data, {"config"}).toStdString(), "run.db", context().engine->schemas());
    if (config) record.config = std::move(*config);
    data_->setRecord(record);
}

void InspectorPanel::showChanges(const RunData* data) {
    std::filesystem::path folder;
    if (context().project) folder = context().project->runsFolder() / id_.toStdString();
    changes_->setRun(folder, valueOf(data, {"project_revision"}).toStdString());
}

void InspectorPanel::fillSettings(const RunData* data) {
    const QString text = valueOf(data, {"config", "config_toml"});
    if (text == shownConfig_) return;
    shownConfig_ = text;
    settings_->clear();
    auto config = RunConfig::parse(text.toStdString(), "run.db", context().engine->schemas());
    checkpoints_->fork().setConfig(config ? std::optional(*config) : std::nullopt);
    evaluation_->setSampler(config ? &*config : nullptr,
                            config ? context().engine->family(config->family()) : nullptr);
    const auto addRow = [this](const QString& key, const QString& value, const QString& tip, bool changed) {
        auto* item = new QTreeWidgetItem(settings_, {key, value});
        item->setToolTip(0, tip);
        item->setToolTip(1, value);
        if (changed) return;
        for (const int column : {0, 1}) item->setForeground(column, theme().muted);
    };
    if (config) {
        const std::vector<std::string> changed = config->changedKeys();
        for (const bool wantChanged : {true, false})
            for (const FieldSpec& field : config->schema().fields) {
                const bool isChanged = std::find(changed.begin(), changed.end(), field.key) != changed.end();
                if (isChanged != wantChanged) continue;
                QString tip = qt(field.doc);
                if (isChanged) tip += tr("\nDefault: %1").arg(qt(fieldValueText(field.fallback)));
                addRow(qt(field.key), qt(fieldValueText(config->value(field.key))), tip, isChanged);
            }
    } else {
        // Without the family's schema (an older or newer engine wrote the run) the text itself is shown.
        QString table;
        for (const QString& line : text.split(QLatin1Char('\n'))) {
            if (line.startsWith(QLatin1Char('[')))
                table = line.mid(1).section(QLatin1Char(']'), 0, 0) + QLatin1Char('.');
            const qsizetype equals = line.indexOf(QLatin1Char('='));
            if (equals > 0)
                addRow(table + line.left(equals).trimmed(), line.mid(equals + 1).trimmed(), {}, false);
        }
    }
    applySettingsFilter();
}

void InspectorPanel::applySettingsFilter() {
    const QString wanted = search_->text().trimmed();
    for (int i = 0; i < settings_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = settings_->topLevelItem(i);
        item->setHidden(!wanted.isEmpty() && !item->text(0).contains(wanted, Qt::CaseInsensitive) &&
                        !item->text(1).contains(wanted, Qt::CaseInsensitive));
    }
}

void InspectorPanel::saveNotes() {
    saveLater_.stop();
    if (!id_.isEmpty()) context().catalog->setNotes(id_, notes_->toPlainText());
}

void InspectorPanel::engineInfoChanged() {
    shownConfig_.clear();
    shownData_.clear();  // an older record needs the schema to know its files
    refresh();
}
void InspectorPanel::editTags() {
    tags_->setFocus();
    tags_->selectAll();
}
void InspectorPanel::editNotes() {
    notes_->setFocus();
}
bool InspectorPanel::hasData() const {
    return !id_.isEmpty() && context().catalog->run(id_);
}
QString InspectorPanel::statement() const {
    return name_->text();
}

}  // namespace kurve::views
