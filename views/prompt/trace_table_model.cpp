#include "views/prompt/trace_table_model.h"

#include <algorithm>
#include <set>

#include "views/common/data/run_catalog.h"
#include "views/common/text/format.h"

namespace kurve::views {

void TraceTableModel::setRun(const RunData* data) {
    std::map<std::pair<int, qint64>, Cell> cells;
    std::map<int, QString> texts;
    std::set<qint64> steps;
    if (data != nullptr) {
        for (const auto& trace : data->traces) {
            if (trace.prompt < 0) continue;
            cells[{trace.prompt, trace.step}].file = QString::fromStdString(trace.path.text());
            texts[trace.prompt] = QString::fromStdString(trace.text);
            steps.insert(trace.step);
        }
        for (const auto& sample : data->samples) {
            if (const auto at = cells.find({sample.prompt, sample.step}); at != cells.end())
                at->second.output = QString::fromStdString(sample.output);
            if (const auto at = texts.find(sample.prompt); at != texts.end())
                at->second = QString::fromStdString(sample.input);
        }
    }
    std::vector<int> prompts;
    std::vector<QString> names;
    for (const auto& [prompt, text] : texts) {
        prompts.push_back(prompt);
        names.push_back(text);
    }
    const std::vector<qint64> columns(steps.begin(), steps.end());
    if (cells == cells_ && prompts == prompts_ && columns == steps_ && names == texts_) return;
    beginResetModel();
    cells_ = std::move(cells);
    prompts_ = std::move(prompts);
    texts_ = std::move(names);
    steps_ = columns;
    endResetModel();
}

QModelIndex TraceTableModel::cellOf(const QString& file) const {
    for (const auto& [key, cell] : cells_) {
        if (cell.file != file) continue;
        const auto row = std::find(prompts_.begin(), prompts_.end(), key.first);
        const auto column = std::find(steps_.begin(), steps_.end(), key.second);
        return index(static_cast<int>(row - prompts_.begin()), static_cast<int>(column - steps_.begin()));
    }
    return {};
}

QModelIndex TraceTableModel::newest() const {
    for (int column = columnCount() - 1; column >= 0; --column)
        for (int row = 0; row < rowCount(); ++row)
            if (!file(index(row, column)).isEmpty()) return index(row, column);
    return {};
}

int TraceTableModel::columnAt(qint64 step) const {
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), step);
    if (steps_.empty()) return -1;
    return std::max(0, static_cast<int>(after - steps_.begin()) - 1);
}

int TraceTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(prompts_.size());
}

int TraceTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

QVariant TraceTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto row = static_cast<std::size_t>(index.row());
    const qint64 step = stepOf(index.column());
    const auto cell = cells_.find({prompts_[row], step});
    if (cell == cells_.end()) return {};
    switch (role) {
        case Qt::DisplayRole:
            return cell->second.output.isEmpty() ? tr("recorded") : cell->second.output;
        case Qt::ToolTipRole:
            return plainTip(
                tr("%1\n→ %2\ntraining step %3").arg(texts_[row], cell->second.output, countText(step)));
        case Qt::AccessibleTextRole:
            return tr("%1, training step %2").arg(cell->second.output, countText(step));
        case FileRole:
            return cell->second.file;
        case StepRole:
            return step;
        default:
            return {};
    }
}

QVariant TraceTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    const auto at = static_cast<std::size_t>(section);
    if (orientation == Qt::Horizontal)
        return role == Qt::DisplayRole ? QVariant(countText(steps_[at])) : QVariant();
    if (role == Qt::DisplayRole) return texts_[at];
    if (role == Qt::ToolTipRole) return plainTip(texts_[at]);
    return {};
}

Qt::ItemFlags TraceTableModel::flags(const QModelIndex& index) const {
    return file(index).isEmpty() ? Qt::NoItemFlags : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

}  // namespace kurve::views
