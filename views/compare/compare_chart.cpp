#include "views/compare/compare_chart.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedLayout>
#include <algorithm>

#include "views/common/chart/saved_scales.h"
#include "views/common/chart/smoothing_control.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/run_ranking.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/compare/metric_value.h"
#include "views/compare/value_points.h"

namespace kurve::views {

namespace {

constexpr ChoiceIds<2> kBandIds{"confidence", "range"};  ///< in the order of the box

constexpr int kFirstSmoothing = 96;
constexpr const char* kFirstChoices[] = {"valid_bleu", "valid_nelbo", "valid_loss", "loss"};

QLabel* caption(const QString& text, QWidget* buddy = nullptr) {
    auto* label = describe(new QLabel(text), {.role = "caption"});
    label->setBuddy(buddy);
    return label;
}

/// A caption with its control, in one item of the row.
QWidget* captioned(const QString& text, QWidget* control) {
    return boxed(hbox({caption(text, control), control}, {.margins = 0, .spacing = space::kSmall}));
}

ChoiceBox* chooser(const char* id, const char* name) {
    auto* box = new ChoiceBox(QLatin1String(id), QString::fromUtf8(name));
    box->setMinimumContentsLength(9);
    box->setMaximumWidth(px(190));
    return box;
}

/// What is shown instead of an item that is not offered stays, too.
void fill(ChoiceBox* box, const BoxChoices& items, const QString& otherwise) {
    const QString before = box->currentData().toString();
    const bool stays = std::ranges::find(items, before, &BoxChoices::value_type::first) != items.end();
    box->offer(items, stays && !before.isEmpty() ? before : otherwise);
}

}  // namespace

CompareChart::CompareChart(QWidget* parent)
    : QWidget(parent),
      chart_(new LineChart(QStringLiteral("compare.chart"), QStringLiteral("Curves of the runs"))),
      points_(new ValuePoints),
      drawn_(new QStackedLayout) {
    buildControls();
    chart_->setSmoothing(smoothing());
    secondBox_ = captioned(QStringLiteral("and"), second_);
    auto* controls =
        wrapBox({captioned(QStringLiteral("Show"), metric_), captioned(QStringLiteral("over"), axis_),
                 captioned(QStringLiteral("mean by"), group_), secondBox_, band_, Gap{space::kSmall},
                 smoothing_, all_});
    leaveOutOfFigures(*controls);
    controls->addWidget(missing_);
    auto* layout = vboxIn(this, {controls}, {.margins = 0, .spacing = space::kTight});
    layout->addLayout(drawn_, 1);  // first: a stack of its own would show its pages as windows
    drawn_->addWidget(chart_);
    drawn_->addWidget(scrolled(points_));
    connect(points_, &ValuePoints::rowClicked, this, [this](const QString& id) {
        if (find(id)) Q_EMIT runChosen(id);
    });
    connect(chart_, &LineChart::curveClicked, this, [this](const QString& curve) {
        if (const ComparedRun* run = runOfCurve(curve)) Q_EMIT runChosen(run->id);
    });
    connect(chart_, &LineChart::curveHovered, this, [this](const QString& curve) {
        const ComparedRun* run = runOfCurve(curve);
        Q_EMIT runHovered(run ? run->id : QString());
    });
    connect(chart_, &LineChart::menuRequested, this, &CompareChart::openMenu);
    connect(chart_, &LineChart::scaleChanged, this, &CompareChart::choiceChanged);
    connect(chart_, &LineChart::keyLimitsChanged, this, &CompareChart::takeRange);
    connect(chart_, &LineChart::rangeChoiceChanged, this, &CompareChart::takeRange);
}

void CompareChart::buildControls() {
    metric_ = chooser("compare.metric", "Metric of the curves");
    axis_ = chooser("compare.axis", "x axis of the curves");
    group_ = chooser("compare.group", "Setting to group runs by");
    second_ = chooser("compare.group_and", "Second setting to group runs by");
    band_ = chooser("compare.band", "Band around the mean");
    band_->addItem(QStringLiteral("95 % CI"), static_cast<int>(series::BandKind::Confidence));
    band_->addItem(QStringLiteral("min to max"), static_cast<int>(series::BandKind::Range));
    smoothing_ = new SmoothingControl(QStringLiteral("compare"), kFirstSmoothing);
    all_ = describe(new QPushButton, "compare.show_all", {.role = "quiet", .hidden = true});
    missing_ = new ElidedLabel("caption");
    for (QComboBox* box : {metric_, axis_, group_, second_, band_})
        connect(box, &QComboBox::activated, this, [this] {
            fillGroups();
            choose();
            Q_EMIT choiceChanged();
        });
    connect(all_, &QPushButton::clicked, this, [this] { Q_EMIT hideRequested(hiddenHere(), false); });
    connect(smoothing_, &SmoothingControl::changed, this, [this] {
        chart_->setSmoothing(smoothing());
        if (!groupKey().isEmpty()) drawCurves();
        Q_EMIT choiceChanged();
    });
}

void CompareChart::setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine) {
    const auto choices = [this] {
        QStringList ids;
        for (const QComboBox* box : {axis_, group_, second_, metric_}) ids << box->currentData().toString();
        return ids;
    };
    const QStringList before = choices();
    const bool sameRuns = std::ranges::equal(runs, runs_, {}, &ComparedRun::id, &ComparedRun::id);
    runs_ = runs;
    engine_ = engine;
    fillMetrics();
    fillAxes();
    fillGroups();
    sameRuns&& before == choices() ? drawCurves() : choose();
}

void CompareChart::fillMetrics() {
    const auto ids = metricsOf(runs_);
    QList<std::pair<QString, QString>> items;
    for (const std::string& id : ids) items.append({qt(id), engine_.metric(id).title});
    QString first;
    for (const char* choice : kFirstChoices)
        if (first.isEmpty() && std::ranges::find(ids, choice) != ids.end()) first = QLatin1String(choice);
    fill(metric_, items, first);
}

void CompareChart::fillAxes() {
    QList<std::pair<QString, QString>> items;
    RunDatas datas;
    for (const ComparedRun& run : runs_) datas.push_back(run.data);
    for (const RunAxis& axis : axesOf(datas, metricsOf(runs_)))
        items.append({axis.id(), axis.title(engine_).section(QStringLiteral(" /"), 0, 0)});
    const auto metrics = metricsOf(runs_);
    if (std::ranges::any_of(metrics, [](const auto& id) { return numberedMetric(id).has_value(); })) {
        const RunAxis number{RunAxis::Kind::Number, {}};
        items.append({number.id(), number.title(engine_)});
    }
    fill(axis_, items, QStringLiteral("step"));
}

void CompareChart::fillGroups() {
    QList<std::pair<QString, QString>> first{{QString(), QStringLiteral("each run")}},
        second{{QString(), QStringLiteral("none")}};
    first += RunGrouping::keys(runs_);
    fill(group_, first, {});
    for (const auto& item : first)
        if (RunGrouping::canBeJoined(item.first) && item.first != groupKey()) second.append(item);
    fill(second_, second, {});
    const bool canBeJoined = RunGrouping::canBeJoined(groupKey()) && second.size() > 1;
    secondBox_->setVisible(canBeJoined);
    band_->setVisible(!groupKey().isEmpty());
    grouping_ = RunGrouping(runs_, groupKey(), canBeJoined ? second_->currentData().toString() : QString());
}

std::string CompareChart::shownMetric() const {
    return metric_->currentData().toString().toStdString();
}
RunAxis CompareChart::shownAxis() const {
    return RunAxis::fromId(axis_->currentData().toString());
}
QString CompareChart::groupKey() const {
    return group_->currentData().toString();
}

QString CompareChart::curveId(const ComparedRun& run) const {
    return QStringLiteral("%1 %2").arg(&run - runs_.data(), 3, 10, QLatin1Char('0')).arg(run.id);
}

const ComparedRun* CompareChart::runOfCurve(const QString& curve) const {
    const auto found = std::ranges::find_if(runs_, [&](const auto& run) { return curveId(run) == curve; });
    return found == runs_.end() ? nullptr : &*found;
}

const ComparedRun* CompareChart::find(const QString& id) const {
    const auto found = std::ranges::find(runs_, id, &ComparedRun::id);
    return found == runs_.end() ? nullptr : &*found;
}

series::Smoothing CompareChart::smoothing() const {
    return smoothing_->smoothing();
}

void CompareChart::setMainRun(const QString& id) {
    main_ = id;
    const ComparedRun* run = find(id);
    chart_->setMainCurve(run ? curveId(*run) : QString());
}

void CompareChart::setPointed(const QString& id) {
    const ComparedRun* run = find(id);
    if (run == nullptr || !run->data) return chart_->setPointed({});
    const auto* group = grouping_.groupOf(static_cast<std::size_t>(run - runs_.data()));
    chart_->setPointed({group == nullptr ? curveId(*run) : groupCurveId(group->title)});
}

/// Limits belong to the metric and the axis for which they were set.
void CompareChart::takeRange() {
    const QString metric = metric_->currentData().toString(), axis = axis_->currentData().toString();
    ranges_.insert(metric, chart_->saveRange());
    keyLimits_.insert(axis, saveLimits(chart_->keyLimits()));
    Q_EMIT choiceChanged();
}

void CompareChart::applyRange() {
    const QSignalBlocker quiet(chart_);
    chart_->restoreRange(ranges_.value(metric_->currentData().toString()).toObject());
    chart_->setKeyLimits(limitsOf(keyLimits_.value(axis_->currentData().toString())));
}

void CompareChart::choose() {
    chart_->keepOnly({});
    applyRange();
    drawCurves();
    chart_->fit();
}

void CompareChart::drawCurves() {
    const bool curves = isCurve();
    drawn_->setCurrentIndex(curves ? 0 : 1);
    axis_->setEnabled(curves || numberedMetric(shownMetric()));
    smoothing_->setEnabled(curves);
    if (!curves) drawPoints();
    const auto text = engine_.metric(shownMetric());
    QStringList unit{text.unit, membersSmoothing()};
    unit.removeAll(QString());
    chart_->setTitle(text.title, unit.join(QStringLiteral(" · ")), text.doc);
    chart_->setKeyTitle(shownAxis().title(engine_));
    chart_->setKeyIsTime(shownAxis().kind == RunAxis::Kind::Wall);
    QStringList missing;
    if (!curves) chart_->keepOnly({});
    if (curves) chart_->keepOnly(groupKey().isEmpty() ? drawRuns(missing) : drawGroups(missing));
    setMainRun(main_);
    missing_->setText(missing.isEmpty()
                          ? QString()
                          : QStringLiteral("no data: %1").arg(missing.join(QStringLiteral(", "))));
    showHiddenCount();
}

QStringList CompareChart::hiddenHere() const {
    QStringList ids;
    for (const ComparedRun& run : runs_)
        if (hidden_.contains(run.id)) ids << run.id;
    return ids;
}

void CompareChart::showHiddenCount() {
    const auto count = hiddenHere().size();
    all_->setVisible(count > 0);
    all_->setText(groupKey().isEmpty() ? QStringLiteral("Show %1 hidden").arg(count)
                                       : QStringLiteral("%1 hidden, counted in the means").arg(count));
    all_->setEnabled(groupKey().isEmpty());
}

QStringList CompareChart::bestAt(double x, int n) const {
    const auto text = engine_.metric(shownMetric());
    if (!text.ranked) return {};
    std::vector<std::pair<double, QString>> valued;
    for (const ComparedRun& run : runs_) valued.emplace_back(chart_->valueAt(curveId(run), x), run.id);
    return bestRuns(std::move(valued), text.higherIsBetter, n);
}

void CompareChart::setHidden(const QStringList& ids) {
    hidden_ = ids;
    if (!runs_.empty()) drawCurves();
}

void CompareChart::addRunActions(QMenu& menu, const ComparedRun& run) {
    const QString id = run.id;
    menu.addSection(run.title);
    menu.addAction(QStringLiteral("Select run"), this, [this, id] { Q_EMIT runChosen(id); });
    menu.addAction(QStringLiteral("Use as baseline"), this, [this, id] { Q_EMIT baselineRequested(id); });
    menu.addAction(QStringLiteral("Hide run"), this, [this, id] { Q_EMIT hideRequested({id}, true); });
    menu.addSeparator();
}

void CompareChart::openMenu(const QString& curve, double x, const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("compare.menu"));
    if (const ComparedRun* run = runOfCurve(curve)) addRunActions(*menu, *run);
    for (const int n : {1, 3, 5, 10}) {
        if (n >= static_cast<int>(runs_.size()) || !groupKey().isEmpty()) continue;
        const QStringList best = bestAt(x, n);
        if (best.size() < 2) continue;  // a comparison needs two
        menu->addAction(QStringLiteral("Compare only the best %1 at the cursor").arg(n), this,
                        [this, best] { Q_EMIT keepRequested(best); });
    }
    if (!hiddenHere().isEmpty())
        menu->addAction(QStringLiteral("Show all"), this,
                        [this] { Q_EMIT hideRequested(hiddenHere(), false); });
    menu->addAction(QStringLiteral("Fit axes"), this, [this] { chart_->fit(); });
    menu->addActions(chart_->actions());
    menu->addSeparator();
    menu->addActions(menuActions_);
    menu->popup(position);
}

QJsonObject CompareChart::save() const {
    return {{QStringLiteral("metric"), metric_->wanted()},
            {QStringLiteral("axis"), axis_->wanted()},
            {QStringLiteral("group"), group_->wanted()},
            {QStringLiteral("group_and"), second_->wanted()},
            {QStringLiteral("band"), savedChoice(kBandIds, band_->currentIndex())},
            {QStringLiteral("scales"), saveScales(*chart_)},
            {QStringLiteral("ranges"), ranges_},
            {QStringLiteral("x_limits"), keyLimits_},
            {QStringLiteral("smoothing"), smoothing_->save()}};
}

void CompareChart::restore(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QSignalBlocker quiet(this);
    metric_->want(saved.value(QStringLiteral("metric")).toString());
    axis_->want(saved.value(QStringLiteral("axis")).toString());
    group_->want(saved.value(QStringLiteral("group")).toString());
    second_->want(saved.value(QStringLiteral("group_and")).toString());
    band_->setCurrentIndex(choiceOf(kBandIds, saved.value(QStringLiteral("band"))));
    smoothing_->restore(saved.value(QStringLiteral("smoothing")));
    ranges_ = saved.value(QStringLiteral("ranges")).toObject();
    keyLimits_ = saved.value(QStringLiteral("x_limits")).toObject();
    fillGroups();
    choose();
    restoreScales(*chart_, saved.value(QStringLiteral("scales")).toArray());
}

}  // namespace kurve::views
