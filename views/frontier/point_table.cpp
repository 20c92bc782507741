#include "views/frontier/point_table.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/table/view_table.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kNameCharacters = 11;  ///< of a run in the narrow column beside the plane

/// Sorts by its number, shows a text.
class NumberCell : public QTableWidgetItem {
public:
    NumberCell(double value, const QString& text) : QTableWidgetItem(text), value_(value) {
        setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        setToolTip(text);
    }
    bool operator<(const QTableWidgetItem& other) const override {
        const auto* number = dynamic_cast<const NumberCell*>(&other);
        return number ? value_ < number->value_ : QTableWidgetItem::operator<(other);
    }

private:
    double value_;
};

QTableWidgetItem* textCell(const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setToolTip(text);
    return item;
}

void prepare(QTableWidget* table, const QStringList& heads) {
    table->setColumnCount(static_cast<int>(heads.size()));
    table->setHorizontalHeaderLabels(heads);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(px(24));
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

QString withInterval(const frontier::Estimate& e) {
    return numberText(e.value, 4) + intervalText(e);
}

QString signedText(double value) {
    return (value >= 0 ? QStringLiteral("+") : QStringLiteral("−")) + numberText(std::abs(value), 3);
}

}  // namespace

QString intervalText(const frontier::Estimate& e) {
    if (!std::isfinite(e.low)) return {};
    return QStringLiteral(" [%1, %2]").arg(numberText(e.low, 4), numberText(e.high, 4));
}

double outputMilliseconds(const frontier::SweepPoint& point) {
    const auto outputs = static_cast<double>(point.sentences) * static_cast<double>(point.seeds.size());
    return outputs > 0 ? 1e3 * point.cost.seconds / outputs : 0;
}

PointTable::PointTable(QWidget* parent) : QTableWidget(parent) {
    describe(this, "frontier.points", tr("Selected points"));
}

void PointTable::show(const Plane& plane, const std::vector<FrontierChart::PointIndex>& indices,
                      const QString& qualityTitle, const QString& diversityTitle) {
    setSortingEnabled(false);
    clear();
    setRowCount(static_cast<int>(indices.size()));
    prepare(this, {tr("Run"), tr("Settings"), qualityTitle, diversityTitle, tr("ms per output"),
                   tr("%1 − best").arg(qualityTitle)});
    struct Found {
        const FrontCurve* curve;
        const frontier::SweepPoint* point;
        frontier::Estimate quality, diversity;
    };
    std::vector<Found> rows;
    for (const auto& index : indices) {
        const auto& curve = plane.curves[static_cast<std::size_t>(index.curve)];
        const auto* point = curve.points[static_cast<std::size_t>(index.point)];
        rows.push_back({&curve, point, point->quality.at(plane.quality.toStdString()),
                        point->diversity.at(plane.diversity.toStdString())});
    }
    const auto best = std::max_element(rows.begin(), rows.end(), [&](const Found& a, const Found& b) {
        return plane.direction * a.quality.value < plane.direction * b.quality.value;
    });
    const auto slice = [](const frontier::Estimate& e) { return frontier::Slice{e.value, e.low, e.high}; };
    for (int row = 0; row < rowCount(); ++row) {
        const Found& at = rows[static_cast<std::size_t>(row)];
        const auto d = frontier::difference(slice(at.quality), slice(best->quality));
        const QString apart = &at == &*best ? tr("best")
                              : d.distinguishable()
                                  ? QStringLiteral("%1 [%2, %3]")
                                        .arg(signedText(d.value), signedText(d.low), signedText(d.high))
                                  : tr("%1, not distinguishable").arg(signedText(d.value));
        auto* run = textCell(at.curve->title);
        run->setForeground(runStyle(at.curve->runId).color);
        setItem(row, 0, run);
        setItem(row, 1, textCell(settingsText(*at.point)));
        setItem(row, 2, new NumberCell(at.quality.value, withInterval(at.quality)));
        setItem(row, 3, new NumberCell(at.diversity.value, withInterval(at.diversity)));
        const double cost = outputMilliseconds(*at.point);
        setItem(row, 4, new NumberCell(cost, numberText(cost, 3)));
        setItem(row, 5, new NumberCell(d.value, apart));
    }
    setSortingEnabled(true);
    sortByColumn(2, plane.direction > 0 ? Qt::DescendingOrder : Qt::AscendingOrder);
    resizeColumnsToContents();
    horizontalHeader()->setStretchLastSection(true);
}

FrontTable::FrontTable(QWidget* parent) : QTableWidget(parent) {
    describe(this, "frontier.fronts", tr("Fronts of the runs"));
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTextElideMode(Qt::ElideMiddle);
}

void FrontTable::show(const Plane& plane) {
    setSortingEnabled(false);
    clear();
    setRowCount(static_cast<int>(plane.curves.size()));
    prepare(this, {tr("Run"), tr("Hypervolume"), tr("Best − ★")});
    horizontalHeaderItem(1)->setToolTip(tr("Hypervolume: area under the front above the corner below"));
    horizontalHeaderItem(2)->setToolTip(
        tr("Diversity of the front's best point minus that of the references; best near 0"));
    QStringList names;
    for (const auto& curve : plane.curves) names << curve.title;
    for (int row = 0; row < rowCount(); ++row) {
        const auto& curve = plane.curves[static_cast<std::size_t>(row)];
        auto* run = textCell(distinguishingLabel(curve.title, names, kNameCharacters));
        run->setData(kExportRole, curve.title);
        run->setForeground(runStyle(curve.runId).color);
        run->setToolTip(tr("%1: %2 of %3 on the front")
                            .arg(curve.title)
                            .arg(curve.front.size())
                            .arg(countedText(static_cast<qint64>(curve.planePoints.size()), tr("point"))));
        setItem(row, 0, run);
        setItem(row, 1, new NumberCell(curve.hypervolume, numberText(curve.hypervolume, 3)));
        setItem(row, 2,
                new NumberCell(curve.fromReference.value_or(-1e300),
                               curve.fromReference ? signedText(*curve.fromReference) : tr("–")));
    }
    setSortingEnabled(true);
    sortByColumn(1, Qt::DescendingOrder);
    horizontalHeader()->setMinimumSectionSize(px(40));
    for (int column = 1; column < 3; ++column)
        horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    setFixedHeight(px(28) + rowCount() * px(24) + px(6));
}

}  // namespace kurve::views
