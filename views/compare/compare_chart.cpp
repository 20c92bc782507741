#include "views/compare/compare_chart.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/common/line_chart.h"
#include "views/common/theme.h"
#include "views/compare/metric_table_item_model.h"

namespace kurve::views {

namespace {

constexpr const char* kTokensSeen = "tokens_seen";
constexpr double kLongestPause = 30;     ///< seconds: a longer gap between points is a pause, not training
constexpr std::size_t kSmoothFrom = 50;  ///< fewer points are shown as they are
constexpr std::size_t kMarkersUpTo = 60;
constexpr const char* kFirstChoices[] = {"valid_bleu", "valid_loss", "loss"};

QString axisTitle(series::Axis axis) {
    switch (axis) {
        case series::Axis::Tokens:
            return QStringLiteral("target tokens seen");
        case series::Axis::Wall:
            return QStringLiteral("training time / s");
        case series::Axis::Step:
            break;
    }
    return QStringLiteral("step");
}

/// Target tokens of one step, for runs that did not log their sum: throughput times time by step, of which
/// the median leaves out the points after an evaluation.
double tokensPerStep(const RunData& data) {
    const auto rate = data.find("tokens_per_second");
    if (!rate || rate->size() < 2) return 0;
    std::vector<double> tokens;
    for (std::size_t i = 1; i < rate->size(); ++i) {
        const auto steps = static_cast<double>(rate->step[i] - rate->step[i - 1]);
        const double value = rate->value[i] * (rate->wall[i] - rate->wall[i - 1]) / steps;
        if (steps > 0 && std::isfinite(value)) tokens.push_back(value);
    }
    if (tokens.empty()) return 0;
    const auto middle = tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2);
    std::nth_element(tokens.begin(), middle, tokens.end());
    return *middle;
}

std::vector<double> tokensSeen(const RunData& data, const store::Series& series) {
    if (const auto tokens = data.find(kTokensSeen); tokens && tokens->size() > 0)
        return series::tokenAxis(series.step, tokens->step, tokens->value);
    const double each = tokensPerStep(data);
    std::vector<double> x = series::stepAxis(series.step);
    if (each <= 0) return {};
    for (double& value : x) value *= each;
    return x;
}

QLabel* caption(const QString& text, QWidget* buddy = nullptr) {
    auto* label = new QLabel(text);
    label->setProperty("role", "caption");
    label->setBuddy(buddy);
    return label;
}

}  // namespace

CompareChart::CompareChart(QWidget* parent)
    : QWidget(parent),
      chart_(new LineChart(QStringLiteral("compare.chart"), QStringLiteral("Curves of the runs"))) {
    buildControls();
    chart_->setSmoothing(smoothing_->value() / 100.0);
    auto* controls = new QHBoxLayout;
    controls->setSpacing(px(space::kSmall));
    controls->addWidget(caption(QStringLiteral("Show"), metric_));
    controls->addWidget(metric_);
    controls->addWidget(caption(QStringLiteral("over"), axis_));
    controls->addWidget(axis_);
    controls->addSpacing(px(space::kMedium));
    controls->addWidget(caption(QStringLiteral("Smoothing"), smoothing_));
    controls->addWidget(smoothing_);
    controls->addWidget(missing_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kTight));
    layout->addLayout(controls);
    layout->addWidget(chart_, 1);
}

void CompareChart::buildControls() {
    metric_ = new QComboBox;
    metric_->setObjectName(QStringLiteral("compare.metric"));
    metric_->setAccessibleName(QStringLiteral("Metric that the curves show"));
    metric_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    axis_ = new QComboBox;
    axis_->setObjectName(QStringLiteral("compare.axis"));
    axis_->setAccessibleName(QStringLiteral("What the curves are aligned by"));
    for (const auto axis : {series::Axis::Step, series::Axis::Tokens, series::Axis::Wall})
        axis_->addItem(axisTitle(axis).section(QStringLiteral(" /"), 0, 0), static_cast<int>(axis));
    smoothing_ = new QSlider(Qt::Horizontal);
    smoothing_->setObjectName(QStringLiteral("compare.smoothing"));
    smoothing_->setAccessibleName(QStringLiteral("Smoothing of the curves, 0 to 99 percent"));
    smoothing_->setToolTip(QStringLiteral("Debiased moving average over the raw points; left: none"));
    smoothing_->setRange(0, 99);
    smoothing_->setValue(96);
    smoothing_->setFixedWidth(px(100));
    missing_ = caption({});
    connect(metric_, &QComboBox::activated, this, &CompareChart::choose);
    connect(axis_, &QComboBox::activated, this, &CompareChart::choose);
    connect(smoothing_, &QSlider::valueChanged, this,
            [this](int value) { chart_->setSmoothing(value / 100.0); });
}

void CompareChart::setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine) {
    const bool sameRuns = std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(),
                                     [](const auto& a, const auto& b) { return a.id == b.id; });
    runs_ = runs;
    engine_ = engine;
    fillMetrics();
    sameRuns ? drawCurves() : choose();
}

void CompareChart::fillMetrics() {
    const std::string before = shownMetric();
    const auto ids = metricsOf(runs_);
    QStringList wanted, have;
    for (const std::string& id : ids) wanted << QString::fromStdString(id);
    for (int i = 0; i < metric_->count(); ++i) have << metric_->itemData(i).toString();
    if (wanted == have) return;
    metric_->clear();
    for (const std::string& id : ids) metric_->addItem(engine_.metric(id).title, QString::fromStdString(id));
    std::string chosen = before;
    for (const char* first : kFirstChoices)
        if (chosen.empty() && std::find(ids.begin(), ids.end(), first) != ids.end()) chosen = first;
    metric_->setCurrentIndex(std::max(0, metric_->findData(QString::fromStdString(chosen))));
}

std::string CompareChart::shownMetric() const {
    return metric_->currentData().toString().toStdString();
}

series::Axis CompareChart::shownAxis() const {
    return static_cast<series::Axis>(axis_->currentData().toInt());
}

std::vector<double> CompareChart::axisOf(const ComparedRun& run, const store::Series& series) const {
    switch (shownAxis()) {
        case series::Axis::Tokens:
            return tokensSeen(*run.data, series);
        case series::Axis::Wall:
            return series::wallAxis(series.wall, run.data->summary.started, kLongestPause);
        case series::Axis::Step:
            break;
    }
    return series::stepAxis(series.step);
}

void CompareChart::choose() {
    chart_->keepOnly({});
    drawCurves();
    chart_->fit();
}

void CompareChart::drawCurves() {
    const auto text = engine_.metric(shownMetric());
    chart_->setTitle(text.title, text.unit, text.doc);
    chart_->setKeyTitle(axisTitle(shownAxis()));
    QStringList drawn, missing;
    for (const ComparedRun& run : runs_) {
        const auto series = run.data ? run.data->find(shownMetric()) : nullptr;
        const std::vector<double> x = series ? axisOf(run, *series) : std::vector<double>();
        if (x.empty() || x.size() != series->size()) {
            missing << run.title;
            continue;
        }
        // The chart lists curves by id: the number keeps the order of the columns.
        drawn << QStringLiteral("%1 %2").arg(&run - runs_.data(), 3, 10, QLatin1Char('0')).arg(run.id);
        chart_->setCurve(
            drawn.back(),
            {run.title, runStyle(run.id), x.size() >= kSmoothFrom, x.size() <= kMarkersUpTo, 1.8}, x,
            series->value);
    }
    chart_->keepOnly(drawn);
    missing_->setText(missing.isEmpty()
                          ? QString()
                          : QStringLiteral("nothing to draw for %1").arg(missing.join(QStringLiteral(", "))));
}

}  // namespace kurve::views
