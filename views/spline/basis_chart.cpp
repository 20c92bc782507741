#include "views/spline/basis_chart.h"

#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/format.h"

namespace kurve::views {

using Form = ChartLayer::Form;

BasisChart::BasisChart(QWidget* parent)
    : PlotCard(QStringLiteral("spline.basis"), tr("Basis functions"), parent) {
    setAxisTitle(plot()->xAxis, tr("curve parameter u"));
    setAxisTitle(plot()->yAxis, tr("weight of a control point"));
    readByKeys(PlotCard::Reading::Along);
    connect(this, &PlotCard::restyled, this, &BasisChart::restyle);
    connect(this, &PlotCard::hovered, this, [this](double u) { read(u); });
    connect(this, &PlotCard::left, this, [this] { highlightWord(-1); });
}

void BasisChart::show(const curve::SplinePicture& picture) {
    picture_ = picture;
    highlighted_ = -1;
    plot()->xAxis->setRange(-0.01, 1.01);
    plot()->yAxis->setRange(0, 1.04);
    QStringList keys{PlotCard::key(theme().text, tr("words"))};
    if (picture.report.deadControlPoints > 0)
        keys << PlotCard::key(theme().bad, tr("no word depends on it"), QStringLiteral("┅"));
    setCaption(keys);
    draw();
}

void BasisChart::highlightWord(int word) {
    if (word == highlighted_ || word >= picture_.psi.rows) return;
    highlighted_ = word;
    draw();
}

void BasisChart::draw() {
    const std::size_t count = picture_.basis.size();
    const double width = (count > 80 ? 1.0 : 1.4) * theme().scale;
    std::vector<ChartLayer> layers;
    for (std::size_t j = 0; j < count; ++j) {
        const curve::BasisCurve& basis = picture_.basis[j];
        const double weight = highlighted_ < 0 ? 1 : picture_.psi.at(highlighted_, static_cast<int>(j));
        QColor color = basis.dead ? theme().bad : categoryColor(static_cast<int>(j % 3));
        if (count > 60 && highlighted_ < 0) color.setAlpha(170);
        if (weight == 0) color.setAlpha(45);
        layers.push_back({Form::Line, QStringLiteral("N%1").arg(j), basis.u, basis.value,
                          QPen(color, highlighted_ >= 0 && weight > 0 ? 2 * width : width,
                               basis.dead ? Qt::DotLine : Qt::SolidLine)});
    }
    const auto& words = picture_.positions;
    layers.push_back({Form::Rug, tr("words"), words, std::vector<double>(words.size(), 0.045),
                      QPen(theme().text, 1.2 * theme().scale)});
    if (highlighted_ >= 0)
        layers.push_back({Form::VerticalGuide,
                          {},
                          {words[static_cast<std::size_t>(highlighted_)]},
                          {},
                          QPen(theme().muted, 1, Qt::DashLine)});
    setLayers(layers);
}

void BasisChart::restyle() {
    if (!picture_.basis.empty()) show(curve::SplinePicture(picture_));
}

void BasisChart::read(double u) {
    if (picture_.positions.empty()) return;
    const auto near = std::min_element(picture_.positions.begin(), picture_.positions.end(),
                                       [u](double a, double b) { return std::abs(a - u) < std::abs(b - u); });
    const int word = static_cast<int>(near - picture_.positions.begin());
    QStringList parts;
    for (int j = 0; j < picture_.psi.cols; ++j)
        if (picture_.psi.at(word, j) >= 0.01)
            parts << QStringLiteral("c%1 %2").arg(j + 1).arg(numberText(picture_.psi.at(word, j), 2));
    setReadout({tr("word %1 = %2").arg(word + 1).arg(parts.join(QStringLiteral(" + ")))});
    highlightWord(word);
}

}  // namespace kurve::views
