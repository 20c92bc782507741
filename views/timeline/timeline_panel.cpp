#include "views/timeline/timeline_panel.h"

#include <QComboBox>
#include <QFontInfo>
#include <QLabel>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/view_picture.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/linked_playhead.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/timeline/branch_tree.h"
#include "views/timeline/compare_control.h"
#include "views/timeline/intervention_control.h"
#include "views/timeline/level_box.h"
#include "views/timeline/search_box.h"
#include "views/timeline/timeline_tables.h"
#include "views/timeline/trace_export.h"
#include "views/timeline/training_slider.h"
#include "views/timeline/transport_icons.h"

namespace kurve::views {
namespace {

/// "log-SNR −2.3", or "mask ratio 0.90" where the noise is a mask.
QString noiseLevelText(double logSnr, bool masks) {
    if (masks) return TimelinePanel::tr("mask ratio %1").arg(1 / (1 + std::exp(logSnr)), 0, 'f', 2);
    const QString infinite = logSnr < 0 ? QStringLiteral("−∞") : QStringLiteral("∞");
    const double rounded = std::round(10 * logSnr) / 10 + 0.0;  // no negative zero
    return TimelinePanel::tr("log-SNR %1")
        .arg(std::isinf(logSnr) ? infinite : QString::number(rounded, 'f', 1));
}

}  // namespace

TimelinePanel::TimelinePanel(const StudioContext& window, QWidget* parent)
    : Panel(QStringLiteral("timeline"), tr("Denoising timeline"), withOwnPlayhead(window), parent),
      canvas_(new ImGuiWidget(this)),
      view_(*canvas_) {
    const StudioContext& context = this->context();
    describe(canvas_, "timeline.canvas", tr("Denoising timeline: map, text, candidates and statistics"));
    canvas_->setDraw([this] { draw(); });
    canvas_->installEventFilter(this);
    new PageWheel(*canvas_, *this);
    // A right click opens the menu of the position, not of the panel.
    canvas_->setContextMenuPolicy(Qt::PreventContextMenu);
    canvas_->setTables(
        [this] { return view_.model() != nullptr ? tablesOf(*view_.model()) : std::vector<ViewTable>(); });
    auto* full = new QWidget(this);
    auto* bar = describe(new QWidget(full), {.role = "bar"});
    beside_ = new CompareControl(context, *canvas_, this);
    connect(beside_, &CompareControl::statusMessage, this, &Panel::statusMessage);
    connect(beside_, &CompareControl::changed, this, &TimelinePanel::fitCanvas);
    auto* training = new TrainingSlider(context, this);
    leaveOutOfFigures({bar, training});
    intervention_ = new InterventionControl(context, view_, this);
    connect(intervention_, &InterventionControl::changed, canvas_, [this] { canvas_->requestFrame(); });
    // A newer trace would discard the pending edits.
    connect(intervention_, &InterventionControl::changed, training, [this, training] {
        if (!view_.intervention.pending().empty()) training->setFollowing(false);
    });
    connect(intervention_, &InterventionControl::statusMessage, this, &Panel::statusMessage);
    connect(&ask<Prompts>(), &Prompts::statusChanged, this, [this](const PromptStatus& status) {
        if (status.kind == PromptStatus::Kind::Failed) Q_EMIT statusMessage(status.text);
    });
    auto* row = hbox({{canvas_, 3}, {intervention_->tree(), 1}});
    vboxIn(full, {bar, beside_, training, intervention_->strip(), {row, 1}}, {.margins = 0, .spacing = 0});
    setContent(full, [this] {
        ask<Studio>().goTo(QStringLiteral("prompt"));
        ask<PromptBar>().run();
    });

    addCommands();
    buildBar(bar);
    followWindow();
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &TimelinePanel::tick);
    onThemeChange(this, &TimelinePanel::restyle);
    restyle();
    traceChanged();
}

/// Its selection, runs and playhead.
void TimelinePanel::followWindow() {
    const StudioContext& context = this->context();
    connect(context.selection, &Selection::traceChanged, this, &TimelinePanel::traceChanged);
    connect(context.selection, &Selection::runsChanged, this, &TimelinePanel::updateOwner);
    connect(context.selection, &Selection::runsChanged, this, &TimelinePanel::updateEmptyState);
    if (context.catalog != nullptr) {
        connect(context.catalog, &RunCatalog::runsChanged, this, &TimelinePanel::updateOwner);
        connect(context.catalog, &RunCatalog::dataChanged, this, &TimelinePanel::updateEmptyState);
    }
    connect(context.selection, &Selection::positionChanged, this, [this](int position) {
        state_.position = position;
        canvas_->requestFrame();
    });
    connect(context.selection, &Selection::previewChanged, this, [this] {
        view_.setPreview(this->context().selection->preview());
        canvas_->requestFrame();
    });
    connect(context.playhead, &Playhead::denoiseStepChanged, this, &TimelinePanel::showStep);
}

TimelinePanel::~TimelinePanel() = default;

QToolButton* TimelinePanel::addButton(QWidget* bar, const QString& command) {
    auto* button = new QToolButton(bar);
    QAction* action = context().commands->action(command);
    button->setDefaultAction(action);
    describe(button, command, action->text(), {.role = "quiet"});
    button->setFocusPolicy(Qt::NoFocus);  // Space plays wherever the focus is in this panel
    bar->layout()->addWidget(button);
    return button;
}

void TimelinePanel::buildBar(QWidget* bar) {
    auto* row = wrapBoxIn(
        bar, {}, {.margins = {space::kSmall, space::kTight, space::kMedium, space::kTight}, .spacing = 2});
    for (const char* id : {"first", "back", "play", "forward", "last"})
        addButton(bar, QLatin1String("timeline.") + QLatin1String(id));
    loop_ = describe(new QToolButton(bar), "timeline.loop", tr("Loop"), {.role = "quiet", .checkable = true});
    loop_->setChecked(true);
    loop_->setFocusPolicy(Qt::NoFocus);
    connect(loop_, &QToolButton::toggled, this, &TimelinePanel::stateChanged);
    connect(context().selection, &Selection::linkChanged, this, &TimelinePanel::stateChanged);
    row->addWidget(loop_);
    row->addWidget(linkButton(*this, context()));
    row->addSpacing(px(space::kSmall));
    addChoices(*row);
    row->addSpacing(px(space::kMedium));
    where_ = describe(new QLabel(bar), "timeline.where");
    where_->setFixedWidth(
        fontMetrics().horizontalAdvance(QStringLiteral("step 888 / 888    t 0.00    log-SNR −88.8  ")));
    row->addWidget(where_);
    search_ = new SearchBox(context(), this);
    state_.found = &search_->matches();
    search_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the rest of the line
    connect(search_, &SearchBox::dismissed, canvas_, [this] { canvas_->setFocus(); });
    connect(search_, &SearchBox::matchesChanged, this, [this] {
        view_.marksChanged();
        beside_->marksChanged();
    });
    row->addWidget(search_);
    auto* exporter = new TraceExport(
        context(),
        {[this](int step) { return pictureAt(step); },
         [this] { return std::pair(state_.loopFrom, lastOfLoop()); }, [this] { return speedInterval(); }},
        this);
    connect(exporter, &TraceExport::statusMessage, this, &Panel::statusMessage);
    row->addWidget(exporter);
}

void TimelinePanel::addChoices(WrapLayout& row) {
    speed_ = new QComboBox;
    for (const double speed : kSpeeds) speed_->addItem(tr("%1x").arg(speed), speed);
    speed_->setCurrentIndex(1);
    describe(speed_, "timeline.speed", tr("Playing speed"), tr("Playing speed (keys 1 to 4)"));
    speed_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(speed_, &QComboBox::currentIndexChanged, this, [this] {
        stepRemainder_ = 0;
        timer_.setInterval(speedInterval());
        Q_EMIT stateChanged();
    });
    measure_ = new QComboBox;
    constexpr const char* kIds[] = {"confidence", "margin", "entropy", "norm"};
    for (const inspect::Measure m : {inspect::Measure::Confidence, inspect::Measure::Margin,
                                     inspect::Measure::Entropy, inspect::Measure::Norm}) {
        measure_->addItem(tr(inspect::measureText(m).name), kIds[static_cast<std::size_t>(m)]);
        measure_->setItemData(static_cast<int>(m), tr(inspect::measureText(m).doc), Qt::ToolTipRole);
    }
    describe(measure_, "timeline.measure", tr("Measure shown"),
             tr("Shown as lightness in the map and as thickness under the text (M)"));
    measure_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(measure_, &QComboBox::currentIndexChanged, this, &TimelinePanel::setMeasure);
    levels_ = new LevelBox(context(), this);
    for (QWidget* choice :
         {static_cast<QWidget*>(speed_), static_cast<QWidget*>(measure_), static_cast<QWidget*>(levels_)})
        row.addWidget(choice);
}

bool TimelinePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == canvas_ && event->type() == QEvent::Resize) fitCanvas();
    return Panel::eventFilter(watched, event);
}

/// Legible rows, map above text; a smaller panel scrolls.
void TimelinePanel::fitCanvas() {
    const float em = drawnLine(static_cast<float>(QFontInfo(canvas_->font()).pixelSize()));
    const auto width = static_cast<float>(canvas_->width());
    const float minimum =
        beside_->active() ? beside_->minimumHeight(width, em) : view_.minimumHeight(width, em);
    canvas_->setMinimumHeight(std::max(px(170), static_cast<int>(std::ceil(minimum))));
}

void TimelinePanel::restyle() {
    const auto icon = [this](const char* id, TransportIcon which) {
        context()
            .commands->action(QLatin1String("timeline.") + QLatin1String(id))
            ->setIcon(transportIcon(which));
    };
    icon("first", TransportIcon::First);
    icon("back", TransportIcon::Back);
    icon("play", playing() ? TransportIcon::Pause : TransportIcon::Play);
    icon("forward", TransportIcon::Forward);
    icon("last", TransportIcon::Last);
    loop_->setIcon(transportIcon(TransportIcon::Loop));
    fitCanvas();
    loop_->setToolTip(tr("Loop while playing ([ and ] set its ends)"));
    for (QToolButton* button : findChildren<QToolButton*>()) button->setIconSize({px(16), px(16)});
}

void TimelinePanel::traceChanged() {
    const auto trace = context().selection->trace();
    const bool usable = trace != nullptr && trace->steps > 0 && trace->positions > 0;
    levels_->traceChanged();
    setPlaying(false);
    const auto model = usable ? std::make_shared<const inspect::TimelineModel>(trace) : nullptr;
    view_.setModel(model);
    offerMeasures();
    beside_->setModel(model);
    fitCanvas();
    search_->setModel(model);
    state_.position = context().selection->position();
    state_.loopFrom = 0;
    state_.loopTo = -1;
    restoreLoop();
    setEmpty(!usable);
    context().playhead->setDenoiseSteps(usable ? trace->steps : 0);
    // The last step first: Space then plays from the beginning.
    if (usable) context().playhead->setDenoiseStep(inspect::openingStep(*trace));
    intervention_->traceChanged();
    updateOwner();
    updateEmptyState();
    showStep();
}

/// Why nothing is shown. The newest trace of a run opens by itself.
void TimelinePanel::updateEmptyState() {
    const QString run = context().selection->primaryRun();
    const auto data = context().catalog != nullptr ? context().catalog->data(run) : nullptr;
    if (run.isEmpty())
        return setEmptyTexts(tr("No trace is open"),
                             tr("Select a run on the left; its newest trace opens here."));
    if (data == nullptr || !data->traces.empty()) return setEmptyTexts(tr("Opening the newest trace…"), {});
    setEmptyTexts(tr("%1 has no traces").arg(QString::fromStdString(data->summary.name)),
                  isImported(*data)
                      ? tr("Imported runs have metrics only, no model.")
                      : tr("Traces are recorded at each evaluation and for each prompt that is run above."),
                  isImported(*data) ? QString() : tr("Record a trace"));
}

/// The shown trace may be of another run than the selected one: the view names its run.
void TimelinePanel::updateOwner() {
    const auto trace = context().selection->trace();
    const TraceOwner owner = trace != nullptr ? ownerOf(*trace, context()) : TraceOwner();
    if (std::exchange(owner_, owner) == owner) return;
    // The fonts of the canvas have no thin space.
    view_.owner = QString(owner.text).replace(QChar(0x2009), QLatin1Char(' ')).toStdString();
    view_.ownerSelected = owner.selected;
    view_.marksChanged();
    canvas_->requestFrame();
}

void TimelinePanel::showStep() {
    const inspect::TimelineModel* model = view_.model();
    if (model == nullptr) return where_->clear();
    state_.step = std::clamp(context().playhead->denoiseStep(), 0, model->steps() - 1);
    const auto at = static_cast<std::size_t>(state_.step);
    const auto& trace = model->trace();
    const QString planned = QString::fromStdString(trace.metaText("planned_steps"));
    QString text =
        planned.isEmpty()
            ? tr("step <b>%1</b> / %2").arg(state_.step + 1).arg(model->steps())
            : tr("step <b>%1</b> / %2 of %3").arg(state_.step + 1).arg(model->steps()).arg(planned);
    if (planned.isEmpty() && at < trace.t.size() && !std::isnan(trace.t[at]) && !trace.masks())
        text += tr("&nbsp;&nbsp;&nbsp;t %1").arg(trace.t[at], 0, 'f', 2);
    if (at < trace.logSnr.size() && !std::isnan(trace.logSnr[at]))  // autoregressive: no noise
        text += QStringLiteral("&nbsp;&nbsp;&nbsp;") + noiseLevelText(trace.logSnr[at], trace.masks());
    where_->setText(text);
    canvas_->requestFrame();
}

QString TimelinePanel::statement() const {
    const inspect::TimelineModel* model = view_.model();
    if (model == nullptr) return tr("No trace is open.");
    const auto at = static_cast<std::size_t>(state_.step);
    const QString both = beside_->statement(state_.step);
    const inspect::StepStatistics& numbers = model->statistics();
    QString summary = tr("%1 of %2 %3 changed")
                          .arg(numbers.edits[at])
                          .arg(model->positions())
                          .arg(unitsText(model->trace().unit));
    if (!std::isnan(numbers.confidence[at]))
        summary += tr(", mean confidence %1").arg(numbers.confidence[at], 0, 'f', 2);
    if (numbers.masked[at] > 0)
        summary += QStringLiteral(", %1 %2").arg(numbers.masked[at]).arg(tr(model->emptyName()));
    if (at < numbers.bleu.size()) summary += tr(", BLEU %1").arg(numbers.bleu[at], 0, 'f', 1);
    QString owner = owner_.text;
    if (!owner_.selected) owner += tr(" (not the selected run)");
    if (!owner.isEmpty()) owner += QStringLiteral(" · ");
    return owner +
           tr("Step %1 of %2: %3; text \"%4\".")
               .arg(state_.step + 1)
               .arg(model->steps())
               .arg(summary, QString::fromStdString(model->textAt(state_.step))) +
           (both.isEmpty() ? both : QLatin1Char(' ') + both);
}

void TimelinePanel::draw() {
    const TimelineIntent intent = beside_->active() ? beside_->draw(state_) : view_.draw(state_);
    if (intent.position >= -1) context().selection->setPosition(intent.position);
    if (intent.step >= 0) context().playhead->setDenoiseStep(intent.step);
    intervention_->take(intent);
}

QImage TimelinePanel::pictureAt(int step) {
    const int shown = std::exchange(state_.step, step);
    view_.ownerSelected = true;  // the window's selection is not part of a figure
    view_.marksChanged();
    QImage picture = canvas_->renderNow().copy();
    state_.step = shown;
    view_.ownerSelected = owner_.selected;
    view_.marksChanged();
    canvas_->requestFrame();
    return picture;
}

/// Those that the trace has.
void TimelinePanel::offerMeasures() {
    auto* entries = qobject_cast<QStandardItemModel*>(measure_->model());
    for (int at = 0; entries != nullptr && at < inspect::kMeasures; ++at)
        entries->item(at)->setEnabled(view_.model() == nullptr ||
                                      view_.model()->has(static_cast<inspect::Measure>(at)));
    if (view_.model() == nullptr || view_.model()->has(state_.measure)) return;
    setMeasure(0);
    if (!view_.model()->has(state_.measure)) nextMeasure();
}

void TimelinePanel::setMeasure(int measure) {
    if (measure < 0 || measure >= inspect::kMeasures) return;
    state_.measure = static_cast<inspect::Measure>(measure);
    measure_->setCurrentIndex(measure);
    canvas_->requestFrame();
    Q_EMIT stateChanged();
}

/// The next measure that the trace has.
void TimelinePanel::nextMeasure() {
    for (int by = 1; by <= inspect::kMeasures; ++by) {
        const int next = (static_cast<int>(state_.measure) + by) % inspect::kMeasures;
        if (view_.model() == nullptr || view_.model()->has(static_cast<inspect::Measure>(next)))
            return setMeasure(next);
    }
}

}  // namespace kurve::views
