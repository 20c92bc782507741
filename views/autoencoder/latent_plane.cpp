#include "views/autoencoder/latent_plane.h"

#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/text/counted_text.h"

namespace kurve::views {

namespace {

constexpr double kTrustedVariance = 0.4, kReachPixels = 12;
constexpr int kSteps = 9;  // of an interpolation

}  // namespace

LatentPlane::LatentPlane(QWidget* parent)
    : PlotCard(QStringLiteral("autoencoder.plane"), tr("Latent plane"), parent), refit_(new QToolButton) {
    describe(refit_, "autoencoder.plane.refit", tr("Fit the axes on this text"),
             tr("Fit the axes on this text (R); until then they stay"), {.role = "mini"});
    refit_->setText(tr("Fit axes"));
    leaveOutOfFigures(*refit_);
    addToTitle(refit_);
    readByKeys(PlotCard::Reading::Along);
    connect(refit_, &QToolButton::clicked, this, &LatentPlane::refit);
    connect(this, &PlotCard::restyled, this, &LatentPlane::draw);
    connect(this, &PlotCard::hovered, this, &LatentPlane::read);
    connect(this, &PlotCard::entered, this, [this](double x, double y) {
        if (const int row = nearest(x, y); row >= 0) Q_EMIT chunkChosen(row, false);
    });
    connect(plot(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        const QPointF at = coordsOf(*plot(), event->position());
        const int row = nearest(at.x(), at.y());
        if (row >= 0) Q_EMIT chunkChosen(row, event->modifiers().testFlag(Qt::ShiftModifier));
    });
    connect(plot(), &QCustomPlot::beforeReplot, this, &LatentPlane::keepAspect);
    draw();
}

void LatentPlane::setChunks(std::vector<ReconstructedChunk> chunks) {
    chunks_ = std::move(chunks);
    const bool fits = chunks_.empty() || (basis_ && basis_->dims == static_cast<int>(chunks_[0].mean.size()));
    if (fits) return draw();
    refit();
}

void LatentPlane::setCloud(std::vector<ReconstructedChunk> chunks) {
    cloud_ = std::move(chunks);
    refit();
}

void LatentPlane::setEnds(std::array<int, 2> rows) {
    ends_ = rows;
    draw();
}

void LatentPlane::reset() {
    fits_.drop();
    basis_.reset();
    cloud_.clear();
    chunks_.clear();
    draw();
}

void LatentPlane::refit() {
    if (chunks_.empty()) return;
    const std::size_t dims = chunks_[0].mean.size();
    std::vector<float> points;
    for (const auto* some : {&chunks_, &cloud_})
        for (const ReconstructedChunk& chunk : *some)
            if (chunk.mean.size() == dims) points.insert(points.end(), chunk.mean.begin(), chunk.mean.end());
    if (dims == 0) return;
    fits_.run([points = std::move(points), dims] { return curve::fitPca(points, static_cast<int>(dims)); },
              [this, count = chunks_.size() + cloud_.size()](curve::LinearBasis basis) {
                  if (basis_) curve::alignSigns(basis, *basis_);
                  basis_ = std::move(basis);
                  fittedOn_ = count;
                  draw();
              });
}

LatentPlane::Plane LatentPlane::at(const std::vector<float>& vector) const {
    if (!basis_ || static_cast<int>(vector.size()) != basis_->dims) return {std::nan(""), std::nan("")};
    const std::vector<double> point = basis_->project(vector);
    return {point.empty() ? 0 : point[0], point.size() < 2 ? 0 : point[1]};
}

void LatentPlane::draw() {
    QColor faint = theme().muted;
    faint.setAlphaF(0.35F);
    const double scale = theme().scale, size = 6 * scale;
    std::vector<ChartLayer> layers;
    const auto add = [&](const std::vector<ReconstructedChunk>& chunks,
                         std::vector<float> ReconstructedChunk::*vector, const QCPScatterStyle& marker) {
        ChartLayer layer{ChartLayer::Form::Points};
        for (const ReconstructedChunk& chunk : chunks) {
            const auto [x, y] = at(chunk.*vector);
            if (!std::isfinite(x)) continue;
            layer.x.push_back(x);
            layer.y.push_back(y);
        }
        layer.marker = marker;
        layers.push_back(std::move(layer));
    };
    add(cloud_, &ReconstructedChunk::mean, {QCPScatterStyle::ssDisc, faint, faint, size / 2});
    add(chunks_, &ReconstructedChunk::mean,
        {QCPScatterStyle::ssCircle, QPen(theme().muted, scale), Qt::NoBrush, size});
    add(chunks_, &ReconstructedChunk::latent,
        {QCPScatterStyle::ssDisc, theme().accent, theme().accent, size});
    fitRange(layers);
    layers.push_back(between());
    nameEnds(layers);
    setLayers(layers);
    caption();
}

void LatentPlane::nameEnds(std::vector<ChartLayer>& layers) const {
    for (std::size_t end = 0; end < 2; ++end) {
        const int row = ends_[end];
        if (row < 0 || row >= static_cast<int>(chunks_.size()) || !basis_) continue;
        const ReconstructedChunk& chunk = chunks_[static_cast<std::size_t>(row)];
        const auto [x, y] = at(chunk.latent);
        const QString name = end == 0 ? QStringLiteral(" A %1") : QStringLiteral(" B %1");
        layers.push_back({ChartLayer::Form::Label, name.arg(chunkText(chunk)), {x}, {y}, theme().text});
        layers.back().alignment = Qt::AlignLeft | Qt::AlignBottom;
    }
}

/// The steps of the interpolation, where both ends are there.
ChartLayer LatentPlane::between() const {
    const QPen pen(theme().text, theme().scale);
    ChartLayer steps{ChartLayer::Form::Path};
    steps.pen = QPen(theme().text, theme().scale, Qt::DashLine);
    steps.marker = {QCPScatterStyle::ssCross, pen, Qt::NoBrush, 3 * theme().scale};
    const int count = static_cast<int>(chunks_.size());
    if (!basis_ || std::any_of(ends_.begin(), ends_.end(), [&](int row) { return row < 0 || row >= count; }))
        return steps;
    const Plane a = at(chunks_[static_cast<std::size_t>(ends_[0])].latent),
                b = at(chunks_[static_cast<std::size_t>(ends_[1])].latent);
    for (int i = 0; i < kSteps; ++i) {
        const double t = i / (kSteps - 1.0);
        steps.x.push_back((1 - t) * a[0] + t * b[0]);
        steps.y.push_back((1 - t) * a[1] + t * b[1]);
    }
    return steps;
}

// Of all that is there, noise included: a point that leaves the plot would be lost.
void LatentPlane::fitRange(const std::vector<ChartLayer>& layers) {
    std::array<double, 4> range{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const ChartLayer& layer : layers)
        for (std::size_t i = 0; i < layer.x.size(); ++i)
            range = {std::min(range[0], layer.x[i]), std::max(range[1], layer.x[i]),
                     std::min(range[2], layer.y[i]), std::max(range[3], layer.y[i])};
    if (range[0] <= range[1]) range_ = range;
}

// One length for both axes, or distances would mislead.
void LatentPlane::keepAspect() {
    const QRect area = plot()->axisRect()->rect();
    const double across = std::max(1e-6, range_[1] - range_[0]), up = std::max(1e-6, range_[3] - range_[2]);
    const double scale = 1.15 * std::max(across / std::max(1, area.width()), up / std::max(1, area.height()));
    plot()->xAxis->setRange((range_[0] + range_[1]) / 2, scale * area.width(), Qt::AlignCenter);
    plot()->yAxis->setRange((range_[2] + range_[3]) / 2, scale * area.height(), Qt::AlignCenter);
}

void LatentPlane::caption() {
    QStringList names{QStringLiteral("PC 1"), QStringLiteral("PC 2")}, parts;
    double explained = 0;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (!basis_ || axis >= basis_->explained.size()) continue;
        explained += basis_->explained[axis];
        names[static_cast<qsizetype>(axis)] +=
            QStringLiteral(" %1 %").arg(100 * basis_->explained[axis], 0, 'f', 0);
    }
    setAxisTitle(plot()->xAxis, names[0]);
    setAxisTitle(plot()->yAxis, names[1]);
    if (!basis_) return setCaption({});
    const QString percent = QString::number(100 * explained, 'f', 0);
    parts << (explained < kTrustedVariance ? tr("▲ %1 % of the variance: distances mislead").arg(percent)
                                           : tr("%1 % of the variance").arg(percent));
    parts << tr("axes of %1").arg(countedText(static_cast<qint64>(fittedOn_), tr("chunk")));
    setCaption(parts);
}

int LatentPlane::nearest(double x, double y) const {
    const auto at = [this](std::size_t row) {
        const Plane point = this->at(chunks_[row].latent);
        return pixelOf(*plot(), {point[0], point[1]});
    };
    const auto row = nearestPoint(pixelOf(*plot(), {x, y}), kReachPixels * theme().scale, chunks_.size(), at);
    return row ? static_cast<int>(*row) : -1;
}

void LatentPlane::read(double x, double y) {
    const int row = nearest(x, y);
    if (row < 0) return caption();
    const ReconstructedChunk& chunk = chunks_[static_cast<std::size_t>(row)];
    setReadout({tr("chunk %1").arg(row + 1),
                QStringLiteral("%1 → %2").arg(chunkText(chunk), chunkText(chunk, true)).toHtmlEscaped()});
}

std::vector<ViewTable> LatentPlane::tables() const {
    ViewTable table{tr("Latent plane"), {tr("chunk"), tr("text"), tr("PC 1"), tr("PC 2")}, {}};
    for (std::size_t row = 0; row < chunks_.size(); ++row) {
        const auto [x, y] = at(chunks_[row].latent);
        table.rows.push_back({static_cast<double>(row + 1), chunkText(chunks_[row]), x, y});
    }
    return {table};
}

}  // namespace kurve::views
