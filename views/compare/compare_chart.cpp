#include "views/compare/compare_chart.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "core/series/smoothing.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/qcustomplot.h"
#include "views/compare/metric_table_item_model.h"
#include "views/compare/run_curve.h"

namespace kurve::views {

namespace {

constexpr const char* kTokensSeen = "tokens_seen";
constexpr double kLongestPause = 30;     ///< seconds: a longer gap between points is a pause, not training
constexpr std::size_t kSmoothFrom = 50;  ///< fewer points are shown as they are
constexpr const char* kFirstChoices[] = {"valid_bleu", "bleu", "valid_nll", "valid_loss", "loss"};

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

QToolButton* toggle(const QString& text, const QString& name, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setCheckable(true);
    button->setObjectName(name);
    button->setAccessibleName(tip);
    button->setToolTip(tip);
    return button;
}

QLabel* caption(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setProperty("role", "caption");
    label->setBuddy(buddy);
    return label;
}

}  // namespace

CompareChart::CompareChart(QWidget* parent) : QWidget(parent) {
    buildControls();
    buildPlot();
    auto* controls = new QHBoxLayout;
    controls->setSpacing(px(space::kSmall));
    controls->addWidget(caption(QStringLiteral("Curve"), metric_));
    controls->addWidget(metric_);
    controls->addWidget(caption(QStringLiteral("over"), axis_));
    controls->addWidget(axis_);
    controls->addSpacing(px(space::kSmall));
    controls->addWidget(logX_);
    controls->addWidget(logY_);
    controls->addSpacing(px(space::kSmall));
    controls->addWidget(caption(QStringLiteral("Smoothing"), smoothing_));
    controls->addWidget(smoothing_);
    controls->addWidget(note_);
    controls->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kTight));
    layout->addLayout(controls);
    layout->addWidget(legend_);
    layout->addWidget(plot_, 1);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &CompareChart::restyle);
    restyle();
}

CompareChart::~CompareChart() {
    curves_.clear();
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
    logX_ = toggle(QStringLiteral("log x"), QStringLiteral("compare.logx"),
                   QStringLiteral("Logarithmic x axis (X)"));
    logY_ = toggle(QStringLiteral("log y"), QStringLiteral("compare.logy"),
                   QStringLiteral("Logarithmic y axis (Y)"));
    smoothing_ = new QSlider(Qt::Horizontal);
    smoothing_->setObjectName(QStringLiteral("compare.smoothing"));
    smoothing_->setAccessibleName(QStringLiteral("Smoothing of the curves, 0 to 99 percent"));
    smoothing_->setRange(0, 99);
    smoothing_->setValue(90);
    smoothing_->setFixedWidth(px(90));
    note_ = new QLabel;
    note_->setProperty("role", "caption");
    legend_ = new QLabel;
    legend_->setObjectName(QStringLiteral("compare.legend"));
    legend_->setTextFormat(Qt::RichText);
    legend_->setWordWrap(true);
    connect(metric_, &QComboBox::activated, this, [this] { fitted_ = false, rebuildCurves(); });
    connect(axis_, &QComboBox::activated, this, [this] { fitted_ = false, rebuildCurves(); });
    connect(smoothing_, &QSlider::valueChanged, this, [this] { rebuildCurves(); });
    connect(logX_, &QToolButton::toggled, this, [this](bool on) { setAxisLog(plot_->xAxis, on), fit(); });
    connect(logY_, &QToolButton::toggled, this, [this](bool on) { setAxisLog(plot_->yAxis, on), fit(); });
}

void CompareChart::buildPlot() {
    plot_ = new QCustomPlot;
    plot_->setObjectName(QStringLiteral("compare.plot"));
    plot_->setAccessibleName(QStringLiteral("Curves of the compared runs"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumHeight(px(150));
    plot_->setFocusPolicy(Qt::StrongFocus);
    connect(plot_->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] { drawCurves(); });
    connect(plot_, &QCustomPlot::mouseMove, this,
            [this](QMouseEvent* event) { showValues(plot_->xAxis->pixelToCoord(event->position().x())); });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { fit(); });
}

void CompareChart::restyle() {
    stylePlot(plot_);
    for (const auto& curve : curves_) curve->applyStyle();
    describe();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void CompareChart::setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine) {
    const bool sameRuns = std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(),
                                     [](const auto& a, const auto& b) { return a.id == b.id; });
    runs_ = runs;
    engine_ = engine;
    if (!sameRuns) fitted_ = false;
    fillMetrics(engine);
    rebuildCurves();
}

void CompareChart::fillMetrics(const EngineInfo& engine) {
    const std::string before = shownMetric();
    const auto ids = metricsOf(runs_);
    QStringList wanted;
    for (const std::string& id : ids) wanted << QString::fromStdString(id);
    QStringList have;
    for (int i = 0; i < metric_->count(); ++i) have << metric_->itemData(i).toString();
    if (wanted == have) return;
    metric_->clear();
    for (const std::string& id : ids) metric_->addItem(engine.metric(id).title, QString::fromStdString(id));
    std::string chosen = before;
    for (const char* first : kFirstChoices)
        if (chosen.empty() && std::find(ids.begin(), ids.end(), first) != ids.end()) chosen = first;
    metric_->setCurrentIndex(std::max(0, metric_->findData(QString::fromStdString(chosen))));
}

std::string CompareChart::shownMetric() const {
    return metric_->currentData().toString().toStdString();
}

void CompareChart::setMetric(const std::string& id) {
    const int index = metric_->findData(QString::fromStdString(id));
    if (index < 0) return;
    metric_->setCurrentIndex(index);
    fitted_ = false;
    rebuildCurves();
}

void CompareChart::setAxis(series::Axis axis) {
    axis_->setCurrentIndex(axis_->findData(static_cast<int>(axis)));
    fitted_ = false;
    rebuildCurves();
}

int CompareChart::drawnCurves() const {
    return static_cast<int>(
        std::count_if(curves_.begin(), curves_.end(), [](const auto& curve) { return curve->size() > 0; }));
}

std::vector<double> CompareChart::axisOf(const ComparedRun& run, const store::Series& series) const {
    switch (static_cast<series::Axis>(axis_->currentData().toInt())) {
        case series::Axis::Tokens: {
            const auto tokens = run.data->find(kTokensSeen);
            return tokens ? series::tokenAxis(series.step, tokens->step, tokens->value)
                          : std::vector<double>();
        }
        case series::Axis::Wall:
            return series::wallAxis(series.wall, run.data->summary.started, kLongestPause);
        case series::Axis::Step:
            break;
    }
    return series::stepAxis(series.step);
}

double CompareChart::halfLife(const std::vector<double>& x) const {
    if (x.size() < kSmoothFrom || smoothing_->value() == 0) return 0;
    const double spacing = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
    return series::halfLifeOf(smoothing_->value() / 100.0, spacing);
}

void CompareChart::rebuildCurves() {
    curves_.clear();
    double widest = 0;
    for (const ComparedRun& run : runs_) {
        auto& curve = curves_.emplace_back(std::make_unique<RunCurve>(*plot_, run.id));
        const auto series = run.data ? run.data->find(shownMetric()) : nullptr;
        if (!series || series->size() == 0) continue;
        const std::vector<double> x = axisOf(run, *series);
        if (x.size() != series->size()) continue;
        widest = std::max(widest, halfLife(x));
        curve->setPoints(x, series->value, halfLife(x));
    }
    const auto axis = static_cast<series::Axis>(axis_->currentData().toInt());
    const auto text = engine_.metric(shownMetric());
    setAxisTitle(plot_->xAxis, axisTitle(axis));
    setAxisTitle(plot_->yAxis, text.title, text.unit);
    plot_->setToolTip(text.doc);
    note_->setText(widest > 0 ? QStringLiteral("debiased mean, half-life %1").arg(numberText(widest, 2))
                              : QStringLiteral("as logged"));
    describe();
    fitted_ ? drawCurves() : fit();
}

void CompareChart::drawCurves() {
    const bool logarithmic = plot_->xAxis->scaleType() == QCPAxis::stLogarithmic;
    const int pixels = std::max(200, plot_->axisRect()->width());
    for (const auto& curve : curves_) curve->draw(plot_->xAxis->range(), logarithmic, pixels);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void CompareChart::fit() {
    series::Extent y;
    double left = 0, right = 0, leftPositive = 0;
    bool any = false;
    for (const auto& curve : curves_) {
        if (curve->size() == 0) continue;
        const auto x = curve->x();
        left = any ? std::min(left, x.front()) : x.front();
        right = any ? std::max(right, x.back()) : x.back();
        const auto positive = std::upper_bound(x.begin(), x.end(), 0.0);
        if (positive != x.end())
            leftPositive = leftPositive > 0 ? std::min(leftPositive, *positive) : *positive;
        y.add(curve->extent());
        any = true;
    }
    fitted_ = any;
    if (any && !y.empty()) {
        const bool logX = logX_->isChecked(), logY = logY_->isChecked();
        const double low = logY ? y.minPositive : y.min;
        const double margin = std::max((y.max - low) * 0.05, 1e-9 + std::abs(y.max) * 1e-3);
        if (logX && leftPositive > 0) left = leftPositive;
        plot_->yAxis->setRange(logY ? low / 1.1 : low - margin, logY ? y.max * 1.1 : y.max + margin);
        plot_->xAxis->setRange(left, right > left ? right : left + 1);
    }
    drawCurves();
}

void CompareChart::toggleLogX() {
    logX_->toggle();
}
void CompareChart::toggleLogY() {
    logY_->toggle();
}

void CompareChart::describe() {
    showValues(std::numeric_limits<double>::quiet_NaN());
}

void CompareChart::showValues(double x) {
    static const char* const kMarks[] = {"●", "■", "◆", "▲", "✕", "✚"};
    QStringList parts;
    for (std::size_t i = 0; i < runs_.size() && i < curves_.size(); ++i) {
        const RunStyle style = runStyle(runs_[i].id);
        QString text = QStringLiteral("<span style=\"color:%1\">%2</span> %3")
                           .arg(style.color.name(), QString::fromUtf8(kMarks[style.marker % 6]),
                                runs_[i].title.toHtmlEscaped());
        if (curves_[i]->size() == 0) text += QStringLiteral(" <i>has no such points</i>");
        if (const auto value = std::isnan(x) ? std::nullopt : curves_[i]->valueAt(x))
            text += QStringLiteral(" <b>%1</b>").arg(numberText(*value));
        parts << text;
    }
    if (!std::isnan(x) && !parts.isEmpty()) parts << QStringLiteral("<i>at %1</i>").arg(numberText(x, 5));
    legend_->setText(parts.join(QStringLiteral(" &nbsp;&nbsp; ")));
}

}  // namespace kurve::views
