#include "views/schedule/schedule_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/schedule/compared_schedules.h"
#include "views/schedule/drag_points.h"
#include "views/schedule/effect_strip.h"
#include "views/schedule/invariant_list.h"
#include "views/schedule/lab_runs.h"
#include "views/schedule/lab_state.h"
#include "views/schedule/point_editor.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/schedule_form.h"
#include "views/schedule/use_form.h"
#include "views/schedule/weight_curve.h"

namespace kurve::views {

using schedule::FreeCurve;

SchedulePanel::SchedulePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("schedule"), tr("Noise schedule"), context, parent),
      formA_(new ScheduleForm(QStringLiteral("schedule.a"), tr("Schedule A"), ScheduleForm::Optional::No)),
      formB_(new ScheduleForm(QStringLiteral("schedule.b"), tr("Schedule B"), ScheduleForm::Optional::Yes)),
      compared_(new ComparedSchedules),
      use_(new UseForm),
      points_(new PointEditor),
      invariants_(new InvariantList),
      facts_(describe(new QLabel, "schedule.facts", {.role = "caption", .wraps = true})),
      effect_(new EffectStrip(context)),
      charts_(new ScheduleCharts(effect_)) {
    runs_ = new LabRuns(context, *this, *effect_);
    toPoints_ = describe(new QPushButton(tr("Draw by points")), "schedule.toPoints",
                         tr("Convert schedule A to points"),
                         tr("Convert A to points that can be moved in every chart"));
    flatten_ = new QPushButton(tr("Flatten"));
    auto* right = vbox({buildProposal()}, {.spacing = space::kSmall});
    right->addWidget(charts_, 1);
    hboxIn(this, {buildControls(), {right, 1}}, {.margins = space::kSmall, .spacing = space::kSmall});
    b_.kind = "cosine";
    formB_->setValue(b_);
    state_.a = formA_->value();
    state_.weights = use_->use().weightPoints;
    history_.reset(state_);
    connectForms();
    connectPoints();
    addCommands();
    listFiles();
    refresh();
    runs_->follow();
}

SchedulePanel::~SchedulePanel() = default;

QWidget* SchedulePanel::buildControls() {
    auto* inside = describe(new QWidget, {.role = "surface"});
    auto* column = vboxIn(inside, {formA_, toPoints_, points_, invariants_},
                          {.margins = space::kMedium, .spacing = space::kMedium});
    buildActions(column);
    column->addWidget(formB_);
    column->addWidget(compared_);
    column->addWidget(use_);
    column->addWidget(describe(facts_, {.format = Qt::RichText}));
    column->addStretch(1);
    return controlColumn(inside, 316);
}

void SchedulePanel::connectForms() {
    connect(formA_, &ScheduleForm::changed, this,
            [this](const QString& tag) { edit([&](State& next) { next.a = formA_->value(); }, tag); });
    connect(formB_, &ScheduleForm::changed, this, [this] {
        b_ = formB_->value();
        refresh();
    });
    for (ScheduleForm* form : {formA_, formB_})
        connect(form, &ScheduleForm::fileChosen, this,
                [this, form](const QString& name) { openFile(form, name); });
    connect(compared_, &ComparedSchedules::changed, this, &SchedulePanel::refresh);
    connect(compared_, &ComparedSchedules::problem, this, &Panel::statusMessage);
    connect(compared_, &ComparedSchedules::currentWanted, this, [this] { compared_->add(state_.a); });
    connect(compared_, &ComparedSchedules::fileChosen, this, &SchedulePanel::compareFile);
    connect(use_, &UseForm::changed, this, &SchedulePanel::refresh);
    connect(use_, &UseForm::problem, this, &Panel::statusMessage);
    connect(use_, &UseForm::timesChanged, this,
            [this](const QString& tag) { edit([&](State& next) { next.times = use_->use().times; }, tag); });
    const auto weigh = [this](const schedule::WeightPoints& weights, const QString& tag) {
        edit([&](State& next) { next.weights = weights; }, tag);
    };
    connect(use_, &UseForm::weightPointsChanged, this,
            [this, weigh] { weigh(use_->use().weightPoints, {}); });
    connect(&charts_->weights(), &WeightCurve::edited, this, weigh);
    connect(runs_, &LabRuns::read, this, [this](const RunLosses& losses) {
        showRefusals();
        charts_->showLoss(losses);
    });
    onThemeChange(this, [this] {
        refresh();
        runs_->refresh();
    });
}

void SchedulePanel::connectPoints() {
    // These buttons disappear with what they repair, and the focus would go to a text, which has a Ctrl+Z of
    // its own.
    connect(toPoints_, &QPushButton::clicked, this, [this] {
        drawByPoints();
        points_->setFocus();
    });
    connect(points_, &PointEditor::edited, this,
            [this](const FreeCurve& curve, const QString& tag) { redraw(curve, state_.a.settings(), tag); });
    connect(points_, &PointEditor::selected, this, [this](int index) {
        selected_ = index;
        refresh();
    });
    connect(points_, &PointEditor::undoWanted, this, &SchedulePanel::undo);
    connect(points_, &PointEditor::redoWanted, this, &SchedulePanel::redo);
    connect(points_, &PointEditor::problem, this, &Panel::statusMessage);
    connect(invariants_, &InvariantList::repaired, this, [this](const schedule::Repair& repair) {
        redraw(repair.curve, repair.settings);
        points_->setFocus();
    });
    for (const DragPoints* points : charts_->points()) {
        connect(points, &DragPoints::pointChosen, this, [this](std::size_t index) {
            selected_ = static_cast<int>(index);
            refresh();
        });
        connect(points, &DragPoints::grabbed, this, &SchedulePanel::startDrag);
        connect(points, &DragPoints::moved, this, &SchedulePanel::drag);
        connect(points, &DragPoints::released, this, [this] {
            drag_.reset();
            charts_->holdRanges(false);
            refresh();
        });
    }
    connect(charts_, &ScheduleCharts::pointWanted, this, &SchedulePanel::addPointAt);
}

schedule::DrawnSchedule SchedulePanel::drawn() const {
    return {state_.a.curve(), state_.a.settings(), state_.times};
}

void SchedulePanel::redraw(const FreeCurve& curve, const schedule::FreeSettings& settings,
                           const QString& tag) {
    edit([&](State& next) { next.a.draw(curve, settings); }, tag);
}

void SchedulePanel::edit(const std::function<void(State&)>& change, const QString& tag) {
    State state = state_;
    change(state);
    const bool same = state.a.drawn() && state.a.kind == state_.a.kind &&
                      state.a.curve() == state_.a.curve() && state.times == state_.times;
    if (!same && state.a.file == state_.a.file) state.a.file.clear();  // no longer what the file says
    history_.record(state, tag.toStdString());
    setState(state);
}

void SchedulePanel::setState(const State& state) {
    state_ = state;
    proposal_.reset();
    if (!(formA_->value() == state_.a)) formA_->setValue(state_.a);
    use_->setTimes(state_.times);
    use_->setWeightPoints(state_.weights);
    refresh();
}

QJsonObject SchedulePanel::saveState() const {
    QJsonObject saved = labStateJson({state_.a, b_, compared_->schedules()});
    saved.insert("use", use_->save());
    return saved;
}

void SchedulePanel::restoreState(const QJsonObject& json) {
    const LabState restored = labStateOf(json, {state_.a, b_, compared_->schedules()});
    b_ = restored.b;
    formB_->setValue(b_);
    compared_->setSchedules(restored.compared);
    use_->restore(json.value("use").toObject());
    selected_ = -1;
    const State state{restored.a, use_->use().times, use_->use().weightPoints};
    history_.reset(state);
    setState(state);
}

void SchedulePanel::undo() {
    if (!history_.canUndo()) return report(tr("Nothing to undo."));
    setState(history_.undo());
}

void SchedulePanel::redo() {
    if (!history_.canRedo()) return report(tr("Nothing to redo."));
    setState(history_.redo());
}

void SchedulePanel::drawByPoints() {
    if (state_.a.drawn()) return;
    selected_ = -1;
    edit([this](State& next) {
        // The factor stays a setting of its own instead of moving into the points.
        next.a.draw(freeCurveOf(*state_.a.withoutFactor().make()), state_.a.settings());
        next.a.file.clear();
    });
}

void SchedulePanel::startDrag(schedule::Pane pane, std::size_t index) {
    if (!state_.a.drawn()) return;
    drag_ = Drag{drawn(), pane, index, QStringLiteral("drag %1").arg(++drags_)};
    selected_ = static_cast<int>(index);
    charts_->holdRanges(true);
    refresh();
}

void SchedulePanel::drag(double x, double y) {
    if (!drag_) return;
    const schedule::DrawnSchedule moved =
        schedule::withPointMovedTo(drag_->start, drag_->index, drag_->pane, use_->hold(), {x, y});
    edit(
        [&](State& next) {
            next.a.draw(moved.curve, moved.settings);
            next.times = moved.times;
        },
        drag_->tag);
}

void SchedulePanel::addPointAt(double time) {
    if (!(time > 0 && time < 1)) return;
    if (!state_.a.drawn()) drawByPoints();
    FreeCurve curve = state_.a.curve();
    const std::size_t before = curve.points.size();
    curve.points = withPointAt(curve, time);
    if (curve.points.size() == before) return report(tr("Points too close; add the point elsewhere."));
    selected_ = static_cast<int>(std::ranges::find(curve.points, time, [](const auto& p) { return p.t; }) -
                                 curve.points.begin());
    redraw(curve, state_.a.settings());
}

void SchedulePanel::swap() {
    if (b_.kind.empty()) return report(tr("No schedule B; choose one first."));
    schedule::LabSchedule a = std::exchange(b_, state_.a);
    formB_->setValue(b_);
    selected_ = -1;
    edit([&](State& next) { next.a = std::move(a); });
}

Result<schedule::LabSchedule> SchedulePanel::trained() const {
    schedule::LabSchedule out = state_.a;
    if (state_.times.kind != schedule::TimeDensity::Kind::Uniform) {
        const auto made = out.make();
        const FreeCurve curve = out.drawn() ? out.curve() : freeCurveOf(*made);
        out.draw(withUniformTime(curve, state_.times),
                 out.drawn() ? out.settings() : schedule::FreeSettings());
    }
    if (out.drawn()) KURVE_CHECKED(schedule::check(out.curve()));
    return out;
}

namespace {

QString factsOf(const schedule::ScheduleCurves& curves, const QColor& color) {
    return QObject::tr(
               "<span style='color:%1'>━</span> signal equals noise at t = %2; the largest of %3 steps is %4 "
               "nats")
        .arg(color.name(), numberText(curves.balance, 3), QString::number(curves.stepAt.size()),
             numberText(curves.largestGap, 3));
}

}  // namespace

void SchedulePanel::refresh() {
    formA_->setColor(ScheduleCharts::colorA());
    formB_->setColor(ScheduleCharts::colorB());
    schedule::ScheduleUse use = use_->use();
    const auto made = state_.a.make();
    curves_ = schedule::curvesOf(*made, use);
    if (!state_.a.file.empty()) curves_.name = state_.a.file;
    std::optional<schedule::ScheduleCurves> other;
    // B is there to be compared with: its own times are uniform.
    use.times = {};
    if (const auto schedule = b_.make()) other = schedule::curvesOf(*schedule, use);
    if (other && !b_.file.empty()) other->name = b_.file;
    std::vector<schedule::ScheduleCurves> compared;
    for (const schedule::LabSchedule& schedule : compared_->schedules()) {
        compared.push_back(schedule::curvesOf(*schedule.make(), use));
        compared.back().name = ComparedSchedules::labelOf(schedule).toStdString();
    }
    QString facts = factsOf(curves_, ScheduleCharts::colorA());
    if (other) facts += QStringLiteral("<br>") + factsOf(*other, ScheduleCharts::colorB());
    facts_->setText(facts);
    const bool drawable = state_.a.drawn();
    if (drawable) selected_ = std::min(selected_, static_cast<int>(state_.a.curve().points.size()) - 1);
    const auto points = drawable ? std::optional(drawn()) : std::nullopt;
    charts_->show(curves_, other, points ? &*points : nullptr, drawable ? selected_ : -1);
    charts_->showCompared(std::move(compared));
    charts_->showProposal(proposal_ ? std::optional(schedule::curvesOf(*makeFreeSchedule(*proposal_), use))
                                    : std::nullopt);
    toPoints_->setVisible(!drawable);
    points_->setVisible(drawable);
    if (drawable) points_->show(state_.a.curve(), selected_);
    points_->setHistory(history_.canUndo(), history_.canRedo());
    use_->setDrawable(drawable);
    use_->setMasking(curves_.masking);
    proposalBar_->setVisible(proposal_.has_value());
    charts_->weights().show(use.weight == schedule::kOwnWeight ? std::optional(use.weightPoints)
                                                               : std::nullopt);
    effect_->setSchedule(state_.a);
    invariants_->show(drawable ? schedule::examine(state_.a.curve(), state_.a.settings())
                               : schedule::examine(*made));
    showRefusals();
    Q_EMIT stateChanged();
}

QString SchedulePanel::statement() const {
    return tr("%1: signal and noise are equal at t = %2, and %3 sampling steps are at most %4 nats of "
              "log-SNR apart.")
        .arg(qt(curves_.title), numberText(curves_.balance, 3), QString::number(curves_.stepAt.size()),
             numberText(curves_.largestGap, 3));
}

}  // namespace kurve::views
