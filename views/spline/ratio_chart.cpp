#include "views/spline/ratio_chart.h"

#include <QComboBox>
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/form/controls.h"
#include "views/common/text/format.h"

namespace kurve::views {
namespace {

using Form = ChartLayer::Form;

const char* const kNames[] = {"R_L", "R_M", "R_1"};  // as everywhere in the laboratory
constexpr Qt::PenStyle kDashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine};
const char* const kGlyphs[] = {"━", "╌", "┈"};

}  // namespace

RatioChart::RatioChart(QWidget* parent)
    : PlotCard(QStringLiteral("spline.ratios"), tr("Coupling"), parent),
      over_(describe(new QComboBox, "spline.ratios.over", tr("X axis of the ratios"))),
      sweeps_([](const Request& request) { return curve::ratioSweep(request.shape, request.overDegree); },
              [this](curve::RatioSweep sweep) { take(std::move(sweep)); }) {
    over_->addItems({tr("over ρ"), tr("over k")});
    addToTitle(over_);
    setAxisTitle(plot()->yAxis, tr("global / local error"));
    connect(over_, &QComboBox::currentIndexChanged, this, &RatioChart::requestSweep);
    readByKeys(PlotCard::Reading::Along);
    connect(this, &PlotCard::restyled, this, &RatioChart::restyle);
    connect(this, &PlotCard::hovered, this, [this](double x) { read(x); });
    restyle();
}

void RatioChart::show(const curve::SplineShape& shape) {
    shape_ = shape;
    requestSweep();
}

void RatioChart::requestSweep() {
    if (shape_.words > 0) sweeps_.request({shape_, over_->currentIndex() == 1});
}

void RatioChart::take(curve::RatioSweep sweep) {
    sweep_ = std::move(sweep);
    if (sweep_.at.empty()) return;
    setAxisTitle(plot()->xAxis, sweep_.overDegree ? tr("degree k") : tr("control points per word ρ"));
    const double pad = sweep_.overDegree ? 0.4 : 0.08;
    plot()->xAxis->setRange(sweep_.at.front() - pad, sweep_.at.back() + pad);
    restyle();
}

void RatioChart::restyle() {
    QStringList keys;
    double most = 1;
    std::vector<ChartLayer> layers;
    const std::vector<double>* values[] = {&sweep_.rl, &sweep_.rm, &sweep_.r1};
    for (int i = 0; i < 3; ++i) {
        const QColor color = categoryColor(i);
        const QString name = QLatin1String(kNames[i]);
        layers.push_back(
            {Form::Line, name, sweep_.at, *values[i], QPen(color, 1.6 * theme().scale, kDashes[i])});
        for (const double value : *values[i]) most = std::max(most, value);
        if (!sweep_.at.empty())  // at the line's end: a narrow card has no room for a legend
            layers.push_back({Form::Label, name, {sweep_.at.back()}, {values[i]->back()}, color});
        keys << PlotCard::key(color, name, QString::fromUtf8(kGlyphs[i]));
    }
    if (!sweep_.at.empty())
        layers.push_back({Form::VerticalGuide, {}, {sweep_.chosen}, {}, QPen(theme().text, 1, Qt::DashLine)});
    plot()->yAxis->setRange(0, 1.2 * most);  // with room for a name above the highest line
    setCaption(keys);
    setLayers(layers);
}

void RatioChart::read(double x) {
    if (sweep_.at.empty()) return;
    const auto near = std::min_element(sweep_.at.begin(), sweep_.at.end(),
                                       [x](double a, double b) { return std::abs(a - x) < std::abs(b - x); });
    const auto i = static_cast<std::size_t>(near - sweep_.at.begin());
    setReadout({QStringLiteral("%1 %2").arg(sweep_.overDegree ? QStringLiteral("k") : QStringLiteral("ρ"),
                                            numberText(*near, 3)),
                QStringLiteral("R<sub>L</sub> %1").arg(numberText(sweep_.rl[i], 3)),
                QStringLiteral("R<sub>M</sub> %1").arg(numberText(sweep_.rm[i], 3)),
                QStringLiteral("R<sub>1</sub> %1").arg(numberText(sweep_.r1[i], 3))});
}

}  // namespace kurve::views
