#include "views/compare/config_diff_item_model.h"

#include <QFont>
#include <algorithm>
#include <set>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

const RunConfig* firstReadable(const std::vector<ComparedRun>& runs) {
    const auto found =
        std::find_if(runs.begin(), runs.end(), [](const auto& run) { return run.config.has_value(); });
    return found == runs.end() ? nullptr : &*found->config;
}

QString valueText(const ComparedRun& run, const std::string& key) {
    if (!run.config || !run.config->has(key)) return {};
    return QString::fromStdString(fieldValueText(run.config->value(key)));
}

QString docOf(const std::vector<ComparedRun>& runs, const std::string& key) {
    for (const ComparedRun& run : runs) {
        const FieldSpec* field = run.config ? run.config->schema().find(key) : nullptr;
        if (field) return QString::fromStdString(field->doc);
    }
    return {};
}

}  // namespace

std::vector<ConfigDiffItemModel::Row> ConfigDiffItemModel::differingRows(
    const std::vector<ComparedRun>& runs) {
    const RunConfig* first = firstReadable(runs);
    if (!first) return {};
    std::set<std::string> keys;
    bool familiesDiffer = false;
    for (const ComparedRun& run : runs) {
        if (!run.config) continue;
        familiesDiffer |= run.config->family() != first->family();
        for (const ConfigDifference& d : difference(*first, *run.config)) keys.insert(d.key);
    }
    std::vector<Row> rows;
    if (familiesDiffer) {
        Row row{QStringLiteral("family"), QStringLiteral("the model family"), {}};
        for (const ComparedRun& run : runs)
            row.values.push_back(run.config ? QString::fromStdString(run.config->family()) : QString());
        rows.push_back(std::move(row));
        keys.erase("family");
    }
    for (const std::string& key : keys) {
        Row row{QString::fromStdString(key), docOf(runs, key), {}};
        for (const ComparedRun& run : runs) row.values.push_back(valueText(run, key));
        rows.push_back(std::move(row));
    }
    // What all runs have comes before what only one family knows.
    std::stable_partition(rows.begin(), rows.end(), [](const Row& row) {
        return std::none_of(row.values.begin(), row.values.end(),
                            [](const QString& v) { return v.isEmpty(); });
    });
    return rows;
}

void ConfigDiffItemModel::setRuns(const std::vector<ComparedRun>& runs) {
    beginResetModel();
    setColumns(runs);
    rows_ = differingRows(runs);
    endResetModel();
}

int ConfigDiffItemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant ConfigDiffItemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        if (role == Qt::DisplayRole) return row.key;
        return role == Qt::ToolTipRole ? QVariant(row.tip) : QVariant();
    }
    const auto run = static_cast<std::size_t>(index.column()) - 1;
    const QString& value = row.values[run];
    const bool same = value == row.values.front();
    switch (role) {
        case Qt::DisplayRole:
            return value.isEmpty() ? QStringLiteral("–") : value;
        case Qt::ToolTipRole:
            return runs()[run].configProblem.isEmpty() ? row.tip : runs()[run].configProblem;
        case Qt::FontRole: {
            QFont font = monoFont();
            font.setBold(run > 0 && !same);
            return font;
        }
        case Qt::ForegroundRole:
            return value.isEmpty() || (run > 0 && same) ? theme().muted : theme().text;
        default:
            return {};
    }
}

}  // namespace kurve::views
