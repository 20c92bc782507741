#include "views/monitor/ridge_card.h"

#include <QComboBox>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/wire/fields.h"
#include "views/common/chart/linear_ticker.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/data/histogram_bins.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMostRidges = 18;
constexpr double kLeastChoice = 56;
constexpr double kHeight = 2.4;  // of the highest ridge, in distances of two

HistogramBins ridgeOf(const std::string& json) {
    const auto bins = nlohmann::json::parse(json, nullptr, false);
    return histogramBins(wire::Fields(bins), "values");
}

/// Names the newest and the oldest ridge and one between them, as far as there is height for their names.
class RidgeTicker : public QCPAxisTickerText {
public:
    explicit RidgeTicker(const QCPAxis& axis) : axis_(axis) {}

protected:
    QVector<double> createTickVector(double step, const QCPRange& range) override {
        const QVector<double> all = QCPAxisTickerText::createTickVector(step, range);
        const double height = QFontMetricsF(axis_.tickLabelFont()).height();
        const auto apart = [&](double from, double to) {
            return (to - from) / range.size() * lengthToCome(axis_) >= height;
        };
        QVector<double> ticks;
        for (const double tick : all)
            if (ticks.isEmpty() ||
                (apart(ticks.back(), tick) && (tick == all.back() || apart(tick, all.back()))))
                ticks << tick;
        return ticks;
    }

private:
    const QCPAxis& axis_;
};

}  // namespace

RidgeCard::RidgeCard(QWidget* parent)
    : PlotCard(QStringLiteral("monitor.ridges"), tr("Magnitudes by layer"), parent),
      kind_(describe(new QComboBox, "monitor.ridges.kind", tr("Gradients, weights or activations"))),
      group_(describe(new QComboBox, "monitor.ridges.group", tr("Layer group"))) {
    // The names of layers are long: as wide as they like, the whole grid of charts would not fit.
    for (QComboBox* box : {kind_, group_}) box->setMinimumWidth(px(kLeastChoice));
    addToTitle(kind_);
    addToTitle(group_);
    plot()->xAxis->setLabel(tr("log10 of the magnitude"));
    setToolTip(tr("Fraction of the values by magnitude, at some of the recorded steps; newest in front"));
    for (QComboBox* box : {kind_, group_})
        connect(box, &QComboBox::activated, this, [this] {
            offer();
            draw();
        });
    connect(this, &PlotCard::restyled, this, [this] {
        drawn_.clear();
        draw();
    });
}

std::vector<std::size_t> RidgeCard::chosenRows(std::size_t count, std::size_t most) {
    std::vector<std::size_t> rows;
    const std::size_t wanted = std::min(count, most);
    for (std::size_t i = 0; i < wanted; ++i)
        rows.push_back(wanted == 1 ? count - 1 : i * (count - 1) / (wanted - 1));
    return rows;
}

void RidgeCard::setRun(const std::shared_ptr<const RunData>& data) {
    data_ = data;
    offer();
    draw();
}

void RidgeCard::offerKinds() {
    const std::pair<QString, QString> known[] = {{QStringLiteral("gradients/"), tr("gradients")},
                                                 {QStringLiteral("weights/"), tr("weights")},
                                                 {QStringLiteral("activations/"), tr("activations")}};
    BoxChoices there;
    for (const auto& [prefix, title] : known) {
        const auto first = data_->histograms.lower_bound(prefix.toStdString());
        if (first != data_->histograms.end() && first->first.rfind(prefix.toStdString(), 0) == 0)
            there.append({prefix, title});
    }
    offerItems(*kind_, there, kind_->currentData().toString());
}

void RidgeCard::offer() {
    if (data_) offerKinds();
    const QString kind = kind_->currentData().toString();
    BoxChoices groups;
    if (data_)
        for (const auto& [name, rows] : data_->histograms)
            if (const QString key = qt(name); key.startsWith(kind))
                groups.append({key.mid(kind.size()), key.mid(kind.size())});
    offerItems(*group_, groups, group_->currentText());
}

QString RidgeCard::shown() const {
    return kind_->currentData().toString() + group_->currentText();
}

const GrowingList<store::HistogramRow>* RidgeCard::rows() const {
    if (!data_) return nullptr;
    const auto found = data_->histograms.find(shown().toStdString());
    return found == data_->histograms.end() || found->second.empty() ? nullptr : &found->second;
}

std::vector<ViewTable> RidgeCard::tables() const {
    ViewTable table{tr("Magnitudes: %1").arg(shown()), {"step", "log10_magnitude", "fraction"}, {}};
    if (rows() == nullptr) return {};
    for (const store::HistogramRow& row : *rows()) {
        const HistogramBins ridge = ridgeOf(row.json);
        for (std::size_t i = 0; i < ridge.centres.size(); ++i)
            table.rows.push_back({static_cast<double>(row.step), ridge.centres[i], ridge.values[i]});
    }
    return {table};
}

void RidgeCard::draw() {
    const auto* all = rows();
    const QString now = all ? QStringLiteral("%1|%2|%3").arg(qt(data_->summary.id), shown()).arg(all->size())
                            : QStringLiteral("");
    if (now == drawn_ && !drawn_.isNull()) return;
    drawn_ = now;
    if (all == nullptr) return setLayers({});
    const auto rows = chosenRows(all->size(), kMostRidges);
    std::vector<HistogramBins> ridges;
    double highest = 0, low = 2, high = -8;
    for (const std::size_t row : rows) {
        ridges.push_back(ridgeOf((*all)[row].json));
        for (std::size_t i = 0; i < ridges.back().values.size(); ++i) {
            if (ridges.back().values[i] <= 0) continue;
            highest = std::max(highest, ridges.back().values[i]);
            low = std::min(low, ridges.back().centres[i] - 0.5);
            high = std::max(high, ridges.back().centres[i] + 0.5);
        }
    }
    const auto steps = QSharedPointer<RidgeTicker>::create(*plot()->yAxis);
    std::vector<ChartLayer> layers;
    for (std::size_t i = 0; i < ridges.size(); ++i) {
        // The oldest stands at the top and behind.
        const double base = static_cast<double>(ridges.size() - 1 - i);
        std::vector<double> top;
        for (const double value : ridges[i].values)
            top.push_back(base + (highest > 0 ? value / highest * kHeight : 0));
        const double age =
            ridges.size() < 2 ? 1 : static_cast<double>(i) / static_cast<double>(ridges.size() - 1);
        const QColor color = theme().ramp(0.35 + 0.6 * age);
        QColor fill = theme().surface;
        fill.setAlphaF(0.82f);
        using Form = ChartLayer::Form;
        layers.push_back({Form::Line, {}, ridges[i].centres, std::vector<double>(top.size(), base)});
        layers.push_back({Form::Line, {}, ridges[i].centres, top, QPen(color, 1.3), fill});
        layers.back().untilPrevious = true;
        const bool labelled = i == 0 || i + 1 == ridges.size() || i == ridges.size() / 2;
        if (labelled) steps->addTick(base, countText((*all)[rows[i]].step));
    }
    plot()->yAxis->setTicker(steps);
    plot()->xAxis->setRange(low < high ? low : -8, low < high ? high : 2);
    plot()->yAxis->setRange(-0.3, static_cast<double>(ridges.size() - 1) + kHeight + 0.2);
    setCaption({tr("steps %1 to %2").arg(countText(all->front().step), countText(all->back().step))});
    setLayers(layers);
}

}  // namespace kurve::views
