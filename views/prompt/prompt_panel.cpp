#include "views/prompt/prompt_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <algorithm>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/form/controls.h"
#include "views/common/form/default_sampler_chip.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/services/studio.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/theme/theme.h"
#include "views/prompt/checkpoint_box.h"
#include "views/prompt/prompt_history.h"
#include "views/prompt/prompt_outcome.h"
#include "views/prompt/recorded_lists.h"
#include "views/prompt/reference_field.h"
#include "views/prompt/sampler_boxes.h"
#include "views/prompt/trace_table_model.h"

namespace kurve::views {

namespace {
constexpr int kOneLine = 900;  ///< from here on the output stands beside the prompt
}

PromptPanel::PromptPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("prompt"), tr("Prompt"), context, parent),
      default_(new DefaultSamplerChip(context, QStringLiteral("prompt"))),
      outcome_(new PromptOutcome),
      lists_(new RecordedLists(*context.commands, this)) {
    auto* column = vboxIn(this, {}, {.margins = {space::kMedium, space::kTight}, .spacing = space::kSmall});
    auto* prompt = hbox({}, {.spacing = space::kSmall});
    buildSettings();
    buildPrompt(prompt);
    buildDrawer(prompt);
    bar_ = new QBoxLayout(QBoxLayout::LeftToRight);
    bar_->setSpacing(px(space::kSmall));
    bar_->addLayout(prompt, 1);
    bar_->addWidget(outcome_, 1);
    column->addLayout(bar_);
    column->addWidget(reference_);
    column->addWidget(settings_);
    column->addWidget(lists_, 1);
    registerCommands();
    connectAll();
    connectLists();
    connectServices();
    runChanged();
    setStatus(ask<Prompts>().status());
    showShownTrace();
}

void PromptPanel::registerCommands() {
    context().commands->add({QStringLiteral("prompt.run"),
                             tr("Run prompt"),
                             tr("Run"),
                             Qt::CTRL | Qt::Key_Return,
                             tr("Decode the prompt and record a trace"),
                             {QKeySequence(Qt::CTRL | Qt::Key_Enter)}},
                            [this] { run(); });
    const CommandGroup add(context().commands, tr("Run"));
    add("prompt.live", tr("Run prompt on live model"), {},
        tr("Use the model in memory of a training or paused run"), [this] { runLive(); });
    add("prompt.default_sampler", tr("Drop / restore default sampler"), {},
        tr("Decode with the settings of the run's configuration"), [this] { default_->trigger(); });
    add("prompt.settings", tr("Settings of the prompt"), {}, tr("Checkpoint, sampler and seed"),
        [this] { button_->click(); });
    add("prompt.traces", tr("Traces of the run"), {},
        tr("Fixed prompts of the training, and earlier prompts"), [this] { drawer_->click(); });
}

void PromptPanel::connectAll() {
    connect(context().selection, &Selection::runsChanged, this, &PromptPanel::runChanged);
    if (RunCatalog* catalog = context().catalog) {
        connect(catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
            if (id == run_) refresh();
        });
        connect(catalog, &RunCatalog::runsChanged, this, &PromptPanel::refresh);
    }
    connect(text_, &QLineEdit::textChanged, this, [this] {
        reference_->setPrompt(text_->text().simplified());
        edited();
    });
    connect(reference_, &ReferenceField::changed, this, &PromptPanel::edited);
    connect(checkpoint_, &CheckpointBox::chosen, this, &PromptPanel::edited);
    connect(checkpoint_, &CheckpointBox::liveEnded, this, [this] {
        setStatus(
            {PromptStatus::Kind::Ready, tr("Training has ended; prompts now use its last checkpoint."), {}});
    });
    connect(outcome_, &PromptOutcome::candidatesRequested, this,
            [this] { ask<Studio>().goTo(QStringLiteral("candidates")); });
    connect(sampler_, &SamplerBoxes::changed, this, &PromptPanel::edited);
}

void PromptPanel::connectLists() {
    connect(lists_, &RecordedLists::opened, this, [this](const QString& file, qint64 step) {
        context().playhead->setTrainStep(step);
        ask<Traces>().open(run_, file);
    });
    connect(lists_, &RecordedLists::besideRequested, this,
            [this](const QString& file) { ask<Traces>().openBeside(run_, file); });
    connect(lists_, &RecordedLists::trashRequested, this,
            [this](const QString& file) { ask<Traces>().trash(run_, file); });
    connect(lists_, &RecordedLists::statusMessage, this, &PromptPanel::statusMessage);
    const auto follow = [this] {
        const auto trace = context().selection->trace();
        lists_->setShown(trace != nullptr ? trace->file : std::filesystem::path());
    };
    connect(context().selection, &Selection::traceChanged, this, follow);
    follow();
}

void PromptPanel::buildPrompt(QHBoxLayout* row) {
    text_ =
        describe(new QLineEdit(this), "prompt.text", tr("Prompt"), tr("Up and Down recall earlier prompts"),
                 {.placeholder = tr("Type a source text for the selected run…"), .clearable = true});
    history_ = new PromptHistory(*text_);
    connect(text_, &QLineEdit::returnPressed, this, &PromptPanel::run);
    row->addWidget(text_, 1);
    reference_ = new ReferenceField([this](const QString& prompt) { return knownReference(prompt); }, this);
    row->addWidget(reference_->button());
    row->addWidget(button_);
    go_ = describe(new QPushButton(tr("Run"), this), "prompt.run", tr("Run prompt"),
                   tr("Decode the prompt and record a trace (Ctrl+Enter)"), {.role = "primary"});
    connect(go_, &QPushButton::clicked, this, [this] {
        if (busy_) return ask<Prompts>().cancel();
        run();
    });
    row->addWidget(go_);
}

void PromptPanel::buildSettings() {
    auto* label = describe(new QLabel(tr("checkpoint"), this), {.role = "caption"});
    checkpoint_ = new CheckpointBox(this);
    label->setBuddy(checkpoint_);
    sampler_ = new SamplerBoxes({label, checkpoint_}, this);
    settings_ = new QWidget(this);
    vboxIn(settings_, {sampler_, default_}, {.margins = 0, .spacing = space::kSmall});
    settings_->hide();
    button_ = describe(new QPushButton(this), "prompt.settings", tr("Settings"),
                       {.role = "quiet", .checkable = true});
    connect(button_, &QPushButton::toggled, settings_, &QWidget::setVisible);
}

void PromptPanel::buildDrawer(QHBoxLayout* row) {
    drawer_ = describe(new QPushButton(tr("Traces"), this), "prompt.traces", {},
                       tr("Fixed prompts of the training, and earlier prompts"),
                       {.role = "quiet", .checkable = true});
    row->addWidget(drawer_);
    const auto open = [this](bool shown) {
        lists_->setVisible(shown);
        // Without the traces the bar takes no more than its lines.
        setSizePolicy(QSizePolicy::Preferred, shown ? QSizePolicy::Preferred : QSizePolicy::Maximum);
    };
    open(false);
    connect(drawer_, &QPushButton::toggled, this, open);
}

void PromptPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    bar_->setDirection(width() >= px(kOneLine) ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

TraceTableModel* PromptPanel::recorded() const {
    return lists_->recorded();
}

PromptRequest PromptPanel::request() const {
    PromptRequest out;
    out.runId = run_;
    out.checkpoint = checkpoint_->id();
    out.input = text_->text().simplified();
    out.kind = kindOf(out.input);
    sampler_->fill(out);
    const auto data = context().catalog != nullptr ? context().catalog->data(run_) : nullptr;
    if (out.checkpoint == QLatin1String(kLiveModel) && data != nullptr)
        for (const auto& [key, value] : data->defaultSampler)
            out.defaults[QString::fromStdString(key)] = QString::fromStdString(value);
    out.reference = reference_->reference();
    if (shown_) {  // these have no boxes
        out.row = shown_->row;
        out.candidate = shown_->candidate;
    }
    return out;
}

QString PromptPanel::kindOf(const QString& input) const {
    if (!texts_) return QStringLiteral("source");
    if (input.isEmpty()) return QStringLiteral("nothing");
    return infills_ && input.contains(QLatin1String("[MASK")) ? QStringLiteral("infill")
                                                              : QStringLiteral("prefix");
}

/// The reference of the run's fixed prompt with this text.
QString PromptPanel::knownReference(const QString& input) const {
    const auto data = context().catalog != nullptr ? context().catalog->data(run_) : nullptr;
    if (data == nullptr || input.isEmpty()) return {};
    for (const auto& sample : data->samples)
        if (QString::fromStdString(sample.input).simplified() == input)
            return QString::fromStdString(sample.reference);
    return {};
}

QString PromptPanel::whyNoModel() const {
    const auto data = context().catalog != nullptr ? context().catalog->data(run_) : nullptr;
    if (data == nullptr || !isImported(*data)) return {};
    return tr("Imported runs have no model; select a trained run.");
}

void PromptPanel::run() {
    const PromptRequest prompt = request();
    const auto refuse = [this](const QString& why) { setStatus({PromptStatus::Kind::Failed, why, {}}); };
    if (run_.isEmpty()) return refuse(tr("Select a run first."));
    if (const QString why = whyNoModel(); !why.isEmpty()) return refuse(why);
    if (prompt.input.isEmpty() && !texts_) return refuse(tr("Type a text first."));
    if (const QString problem = sampler_->settings().problem(); !problem.isEmpty()) {
        button_->setChecked(true);
        sampler_->settings().focusProblem();
        return refuse(problem);
    }
    outcome_->clearAnswer();
    checkpoint_->keepRequested();
    if (!prompt.input.isEmpty()) history_->add(prompt.input);
    sent_ = prompt;
    note_.clear();
    unsent_ = false;
    Q_EMIT stateChanged();
    ask<Prompts>().request(prompt);
}

void PromptPanel::setBusy(bool busy) {
    busy_ = busy;
    go_->setText(busy ? tr("Cancel") : tr("Run"));
}

void PromptPanel::setStatus(const PromptStatus& status) {
    status_ = status;
    showStatus();
    const bool mine = status.runId.isEmpty() || status.runId == run_;
    if (mine && !status.field.isEmpty() && sampler_->settings().setProblem(status.field, status.text))
        button_->setChecked(true);
}

void PromptPanel::runChanged() {
    const QString run = context().selection->primaryRun();
    if (run == run_) return refresh();
    watched_.set({run});
    const QScopedValueRollback filling(filling_, true);
    if (!run_.isEmpty()) savedRuns_[run_] = runChoices();
    shown_.reset();
    note_.clear();
    run_.clear();  // the following changes are not of this run
    fittedRun_.clear();
    checkpoint_->begin({});
    sampler_->clear();
    run_ = run;
    restoreRun(savedRuns_.value(run_).toObject());
    outcome_->clearAnswer();
    showStatus();
    refresh();
}

void PromptPanel::refresh() {
    const QScopedValueRollback filling(filling_, true);
    const auto data = context().catalog != nullptr ? context().catalog->data(run_) : nullptr;
    const store::Project* project = context().project;
    lists_->setRun(data.get(), project != nullptr ? project->runFolder(run_.toStdString()) : "");
    const QString why = whyNoModel();
    lists_->setHint(run_.isEmpty()  ? tr("Select a run on the left to list its traces.")
                    : why.isEmpty() ? tr("This run has no traces; each evaluation records its fixed prompts.")
                                    : why);
    std::vector<std::int64_t> steps;
    if (data != nullptr)
        for (const auto& checkpoint : data->checkpoints) steps.push_back(checkpoint.step);
    checkpoint_->setSteps(std::move(steps));
    showLiveModel();
    if (shown_ && data != nullptr) {  // the trace may have been read before its run
        note_ = noteOn(*shown_);
        showStatus();
    }
    go_->setEnabled(!run_.isEmpty());
    default_->show(run_, data.get());
    reference_->refresh();
    if (data != nullptr) fitRun();
    if (context().catalog != nullptr && context().engine != nullptr)
        sampler_->settings().setScorers(scorerRuns(*context().catalog, *context().engine));
    showSettings();
}

void PromptPanel::showLiveModel() {
    const auto live = ask<Trainings>().models();
    const auto mine = std::find_if(live.begin(), live.end(),
                                   [this](const LiveModel& model) { return model.runId == run_; });
    checkpoint_->setLive(mine == live.end() ? std::nullopt : std::optional(*mine));
}

void PromptPanel::runLive() {
    if (!checkpoint_->choose(QLatin1String(kLiveModel)))
        return setStatus({PromptStatus::Kind::Failed,
                          run_.isEmpty() ? tr("Select a run first.")
                                         : tr("The selected run is not training; choose a checkpoint."),
                          {}});
    Q_EMIT stateChanged();
    run();
}

void PromptPanel::fitRun() {
    const auto data = context().catalog->data(run_);
    const bool known = fittedRun_ == run_ && fittedDefault_ == data->defaultSampler;
    if (known || context().engine == nullptr) return;
    const auto config = decodingConfig(*data, *context().engine);
    if (!config) return;
    const auto& prompts = config->schema().prompts;
    const auto taken = prompts.find(config->has("data.kind") ? config->text("data.kind") : "pairs");
    const auto takes = [&](const char* kind) {
        return taken != prompts.end() &&
               std::find(taken->second.begin(), taken->second.end(), kind) != taken->second.end();
    };
    texts_ = takes("nothing");
    infills_ = takes("infill");
    text_->setPlaceholderText(!texts_    ? tr("Type a source text for the selected run…")
                              : infills_ ? tr("A beginning, or a text with blanks [MASK]; empty: a sample")
                                         : tr("A beginning; empty: a sample"));
    text_->setToolTip(infills_ ? tr("[MASK] is one token, [MASK:5] five. Up and Down recall earlier prompts")
                               : tr("Up and Down recall earlier prompts"));
    sampler_->fit(*config, context().engine->family(config->family()));
    if (shown_) sampler_->show(shown_->settings, shown_->seed);
    fittedRun_ = run_;
    fittedDefault_ = data->defaultSampler;
    if (text_->text().isEmpty() && !texts_ && recorded()->rowCount() > 0)
        text_->setText(recorded()->headerData(0, Qt::Vertical, Qt::DisplayRole).toString());
}

void PromptPanel::openNewest() {
    lists_->openNewest();
}

bool PromptPanel::hasData() const {
    return lists_->hasData();
}

QString PromptPanel::statement() const {
    if (!hasData()) return tr("No traces.");
    return tr("%1 at %2; %3.")
        .arg(countedText(recorded()->rowCount(), tr("fixed prompt")),
             countedText(recorded()->columnCount(), tr("evaluation")),
             countedText(lists_->requestedCount(), tr("requested trace")));
}

}  // namespace kurve::views
