#include "views/compare/metric_table_item_model.h"

#include <cmath>

#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

void MetricTableItemModel::addRunRows() {
    Row state, steps, time;
    state.title = QStringLiteral("state"), state.tip = QStringLiteral("state of the run");
    steps.title = QStringLiteral("steps"), steps.tip = QStringLiteral("optimizer steps");
    time.title = QStringLiteral("time"), time.tip = QStringLiteral("from start to end");
    for (const ComparedRun& run : runs()) {
        const bool known = run.data != nullptr;
        const store::RunSummary s = known ? run.data->summary : store::RunSummary{};
        const StateStyle look = stateStyle(s.state);
        state.cells.push_back({look.glyph + QLatin1Char(' ') + look.text, 0, known, {}});
        steps.cells.push_back({countText(s.step), 0, known, {}});
        time.cells.push_back(
            {s.ended > s.started ? durationText(s.ended - s.started) : QStringLiteral("–"), 0, known, {}});
    }
    rows_ = {std::move(state), std::move(steps), std::move(time)};
}

void MetricTableItemModel::addMetrics(const EngineInfo& engine, ValueChoice choice) {
    for (const MetricValue& value : metricValues(runs(), engine, choice)) {
        Row row{value.title, value.doc, true, value.ranked, value.higherIsBetter, {}};
        for (const ComparedRun& run : runs()) {
            const auto number = value.of(run);
            const auto step = value.stepOf(run);
            row.cells.push_back({number ? numberText(*number) : QString(), number.value_or(0),
                                 number.has_value(),
                                 step ? QStringLiteral(" at %1").arg(countText(*step)) : QString()});
        }
        rows_.push_back(std::move(row));
    }
}

void MetricTableItemModel::setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine,
                                   ValueChoice choice) {
    beginResetModel();
    setColumns(runs);
    addRunRows();
    addMetrics(engine, choice);
    endResetModel();
}

int MetricTableItemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QString MetricTableItemModel::cellText(const Row& row, std::size_t run) const {
    const Cell& cell = row.cells[run];
    if (!cell.known) return QStringLiteral("–");
    const Cell& first = row.cells.front();
    const QString text = cell.text + cell.step;
    if (run == 0 || !row.comparable || !first.known) return text;
    const double delta = cell.value - first.value;
    if (!std::isfinite(delta)) return text;
    if (delta == 0) return text + QStringLiteral("   =");
    return QStringLiteral("%1   %2 %3")
        .arg(text, delta > 0 ? QStringLiteral("▲") : QStringLiteral("▼"), numberText(std::abs(delta), 3));
}

QVariant MetricTableItemModel::color(const Row& row, std::size_t run) const {
    const Cell& cell = row.cells[run];
    if (!cell.known) return theme().muted;
    const double delta = cell.value - row.cells.front().value;
    if (row.comparable && !std::isfinite(cell.value)) return theme().bad;  // it diverged
    if (run == 0 || !std::isfinite(delta) || !row.ranked || !row.cells.front().known || delta == 0)
        return theme().text;
    return (delta > 0) == row.higherIsBetter ? theme().good : theme().bad;
}

QVariant MetricTableItemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == Qt::ToolTipRole) return row.tip;
    if (index.column() == 0) return role == Qt::DisplayRole ? QVariant(row.title) : QVariant();
    const auto run = static_cast<std::size_t>(index.column()) - 1;
    switch (role) {
        case Qt::DisplayRole:
            return cellText(row, run);
        case kExportRole:
            return row.comparable && row.cells[run].known ? QVariant(row.cells[run].value) : QVariant();
        case Qt::ForegroundRole:
            return color(row, run);
        case Qt::FontRole:
            return monoFont();
        default:
            return {};
    }
}

}  // namespace kurve::views
