#include "views/spline/basis_chart.h"

#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/format.h"

namespace kurve::views {

BasisChart::BasisChart(QWidget* parent)
    : PlotCard(QStringLiteral("spline.basis"), tr("Basis functions"), parent) {
    setAxisTitle(plot()->xAxis, tr("curve parameter u"));
    setAxisTitle(plot()->yAxis, tr("weight of a control point"));
    plot()->addLayer(QStringLiteral("rug"), plot()->layer(QStringLiteral("main")), QCustomPlot::limAbove);
    words_ = plot()->addGraph(plot()->xAxis, plot()->yAxis2);
    words_->setName(tr("words"));
    words_->setLineStyle(QCPGraph::lsImpulse);
    words_->setLayer(QStringLiteral("rug"));
    plot()->yAxis2->setRange(0, 1);
    marker_ = new QCPItemStraightLine(plot());
    marker_->setVisible(false);
    readByKeys(PlotCard::Reading::Along);
    connect(this, &PlotCard::restyled, this, &BasisChart::restyle);
    connect(this, &PlotCard::hovered, this, [this](double u) { read(u); });
    connect(this, &PlotCard::left, this, [this] { highlightWord(-1); });
    restyle();
}

void BasisChart::show(const SplinePicture& picture) {
    picture_ = picture;
    highlighted_ = -1;
    while (curves_.size() > picture.basis.size()) {
        plot()->removeGraph(curves_.back());
        curves_.pop_back();
    }
    while (curves_.size() < picture.basis.size()) {
        curves_.push_back(plot()->addGraph());
        curves_.back()->setAdaptiveSampling(false);  // thinning frays smooth curves
    }
    for (std::size_t j = 0; j < curves_.size(); ++j) {
        const BasisCurve& basis = picture.basis[j];
        curves_[j]->setName(QStringLiteral("N%1").arg(j));
        curves_[j]->setData({basis.u.begin(), basis.u.end()}, {basis.value.begin(), basis.value.end()}, true);
    }
    const QVector<double> at(picture.positions.begin(), picture.positions.end());
    words_->setData(at, QVector<double>(at.size(), 0.045), true);
    plot()->xAxis->setRange(-0.01, 1.01);
    plot()->yAxis->setRange(0, 1.04);
    QStringList keys{PlotCard::key(theme().text, tr("words"))};
    if (picture.report.deadControlPoints > 0)
        keys << PlotCard::key(theme().bad, tr("no word depends on it"), QStringLiteral("┅"));
    setCaption(keys);
    setPens();
}

void BasisChart::highlightWord(int word) {
    if (word == highlighted_ || word >= picture_.psi.rows) return;
    highlighted_ = word;
    setPens();
}

void BasisChart::setPens() {
    const double width = (curves_.size() > 80 ? 1.0 : 1.4) * theme().scale;
    for (std::size_t j = 0; j < curves_.size(); ++j) {
        const bool dead = picture_.basis[j].dead;
        const double weight = highlighted_ < 0 ? 1 : picture_.psi.at(highlighted_, static_cast<int>(j));
        QColor color = dead ? theme().bad : categoryColor(static_cast<int>(j % 3));
        if (curves_.size() > 60 && highlighted_ < 0) color.setAlpha(170);
        if (weight == 0) color.setAlpha(45);
        curves_[j]->setPen(
            {color, highlighted_ >= 0 && weight > 0 ? 2 * width : width, dead ? Qt::DotLine : Qt::SolidLine});
    }
    marker_->setVisible(highlighted_ >= 0);
    if (highlighted_ >= 0) {
        const double u = picture_.positions[static_cast<std::size_t>(highlighted_)];
        marker_->point1->setCoords(u, 0);
        marker_->point2->setCoords(u, 1);
    }
    queueReplot();
}

void BasisChart::restyle() {
    words_->setPen(QPen(theme().text, 1.2 * theme().scale));
    marker_->setPen(QPen(theme().muted, 1, Qt::DashLine));
    if (!curves_.empty()) show(SplinePicture(picture_));
}

void BasisChart::read(double u) {
    if (picture_.positions.empty()) return;
    const auto near = std::min_element(picture_.positions.begin(), picture_.positions.end(),
                                       [u](double a, double b) { return std::abs(a - u) < std::abs(b - u); });
    const int word = static_cast<int>(near - picture_.positions.begin());
    QStringList parts;
    for (int j = 0; j < picture_.psi.cols && parts.size() < 4; ++j)
        if (picture_.psi.at(word, j) >= 0.01)
            parts << QStringLiteral("c%1 %2").arg(j + 1).arg(numberText(picture_.psi.at(word, j), 2));
    setReadout({tr("word %1 = %2").arg(word + 1).arg(parts.join(QStringLiteral(" + ")))});
    highlightWord(word);
}

}  // namespace kurve::views
