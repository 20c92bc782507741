#include "views/spline/spectrum_chart.h"

#include <cmath>
#include <numeric>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/format.h"
#include "views/spline/whole_ticker.h"

namespace kurve::views {

using Form = ChartLayer::Form;

SpectrumChart::SpectrumChart(QWidget* parent)
    : PlotCard(QStringLiteral("spline.spectrum"), tr("Spectrum"), parent) {
    setAxisTitle(plot()->xAxis, tr("rank"));
    setAxisTitle(plot()->yAxis, tr("eigenvalue of ΨΨᵀ"));
    plot()->xAxis->setTicker(QSharedPointer<WholeTicker>::create());
    readByKeys(PlotCard::Reading::Along);
    connect(this, &PlotCard::restyled, this, &SpectrumChart::draw);
    connect(this, &PlotCard::hovered, this, [this](double x) {
        const auto i = std::lround(x) - 1;
        if (i >= 0 && i < static_cast<long>(eigenvalues_.size()))
            setReadout(
                {tr("λ%1 = %2").arg(i + 1).arg(numberText(eigenvalues_[static_cast<std::size_t>(i)]))});
    });
}

void SpectrumChart::show(const curve::SplinePicture& picture) {
    eigenvalues_ = picture.eigenvalues;
    mean_ = picture.report.trace / picture.shape.words;
    const auto count = static_cast<double>(eigenvalues_.size());
    const double high = eigenvalues_.front(), low = eigenvalues_.back();
    const bool logarithmic = high > 30 * low;
    setAxisLog(plot()->yAxis, logarithmic);
    plot()->xAxis->setRange(0.5, std::max(count, 2.0) + 0.5);
    if (logarithmic)
        plot()->yAxis->setRange(low / 2, high * 2);
    else
        plot()->yAxis->setRange(0, high * 1.1);
    const auto ratio = [](const char* name, double value) {
        return QStringLiteral("%1&nbsp;%2").arg(QLatin1String(name), numberText(value));
    };
    setCaption({ratio("R<sub>L</sub>", picture.report.R_L), ratio("R<sub>M</sub>", picture.report.R_M),
                ratio("R<sub>1</sub>", picture.report.R_1)});
    draw();
}

void SpectrumChart::draw() {
    const QColor color = categoryColor(0);
    ChartLayer values{Form::Line, tr("eigenvalues"), std::vector<double>(eigenvalues_.size()), eigenvalues_,
                      QPen(color, 1.6 * theme().scale)};
    std::iota(values.x.begin(), values.x.end(), 1.0);
    values.marker = {QCPScatterStyle::ssDisc, color, 4 * theme().scale};
    setLayers({values, {Form::HorizontalGuide, {}, {}, {mean_}, QPen(theme().muted, 1, Qt::DashLine)}});
}

}  // namespace kurve::views
