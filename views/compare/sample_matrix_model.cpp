#include "views/compare/sample_matrix_model.h"

#include <algorithm>

#include "views/common/text/format.h"
#include "views/common/text/word_diff.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

/// The latest sample of a prompt up to `step`, or null.
const store::SampleRow* latest(const ComparedRun& run, const std::string& input, std::optional<qint64> step) {
    const store::SampleRow* best = nullptr;
    if (!run.data) return best;
    for (const store::SampleRow& row : run.data->samples) {
        if (row.input != input || (step && row.step > *step)) continue;
        if (!best || row.step >= best->step) best = &row;
    }
    return best;
}

/// The prompts of all runs, those of the first run first and in its order.
std::vector<store::SampleRow> prompts(const std::vector<ComparedRun>& runs) {
    std::vector<store::SampleRow> found;
    for (const ComparedRun& run : runs) {
        if (!run.data) continue;
        std::vector<store::SampleRow> rows(run.data->samples.begin(), run.data->samples.end());
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.prompt < b.prompt; });
        for (const store::SampleRow& row : rows) {
            const bool known =
                std::any_of(found.begin(), found.end(), [&](const auto& f) { return f.input == row.input; });
            if (!known) found.push_back(row);
        }
    }
    return found;
}

QString caption(const QString& text) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>")
        .arg(theme().muted.name(), text.toHtmlEscaped());
}

/// The reference of a cell's word diff; null: no diff.
struct Against {
    std::optional<QString> text;
    QString name;
};

QString noteOn(const store::SampleRow& sample, const QString& output, const Against& against) {
    QString note = QStringLiteral("step %1").arg(countText(sample.step));
    if (output == qt(sample.reference)) note = QStringLiteral("✓ exact, ") + note;
    if (against.text && !against.name.isEmpty())
        note += output == *against.text ? QStringLiteral(", same as %1").arg(against.name) : QString();
    if (sample.traceFile.empty()) note += QStringLiteral(", no trace");
    return note;
}

}  // namespace

std::vector<SampleMatrixModel::Row> SampleMatrixModel::read(const std::vector<ComparedRun>& runs,
                                                            const Request& request) {
    const auto other =
        std::find_if(runs.begin(), runs.end(), [&](const auto& run) { return run.id == request.against; });
    std::vector<Row> rows;
    for (const store::SampleRow& prompt : prompts(runs)) {
        Row row{qt(prompt.input), qt(prompt.reference), {}};
        Against against{std::nullopt, {}};
        if (other == runs.end() && !prompt.reference.empty()) against.text = row.reference;
        if (other != runs.end())
            if (const auto* sample = latest(*other, prompt.input, request.step))
                against = {qt(sample->output), other->title};
        for (const ComparedRun& run : runs) {
            const store::SampleRow* sample = latest(run, prompt.input, request.step);
            if (!sample) {
                row.cells.push_back({{}, caption(QStringLiteral("no output")), {}, {}});
                continue;
            }
            const QString output = qt(sample->output);
            const bool itself = other != runs.end() && run.id == other->id;
            const Against& by = itself ? Against{} : against;
            const QString note = noteOn(*sample, output, by);
            const QString words = by.text ? diffHtml(*by.text, output) : output.toHtmlEscaped();
            row.cells.push_back({output, words + QStringLiteral("<br/>") + caption(note), note,
                                 qt(sample->traceFile.text())});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

void SampleMatrixModel::setRuns(const std::vector<ComparedRun>& runs, const Request& request) {
    std::vector<Row> rows = read(runs, request);
    QStringList ids, titles;
    for (const ComparedRun& run : runs) {
        ids << run.id;
        titles << run.title;
    }
    const bool sameCells =
        ids == runs_ && std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                                   [](const Row& a, const Row& b) { return a.input == b.input; });
    if (sameCells && rows == rows_ && titles == titles_) return;
    if (!sameCells) beginResetModel();
    rows_ = std::move(rows);
    runs_ = ids;
    titles_ = titles;
    request_ = request;
    if (!sameCells) return endResetModel();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int SampleMatrixModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SampleMatrixModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 1 + static_cast<int>(runs_.size());
}

QVariant SampleMatrixModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        const QString both =
            row.reference.isEmpty() ? row.input : row.input + QStringLiteral(" → ") + row.reference;
        if (role == HtmlRole)
            return caption(row.input) + QStringLiteral("<br/>") + row.reference.toHtmlEscaped();
        return role == Qt::DisplayRole || role == Qt::AccessibleTextRole ? QVariant(both) : QVariant();
    }
    const Cell& cell = row.cells[static_cast<std::size_t>(index.column()) - 1];
    switch (role) {
        case Qt::DisplayRole:
            return cell.text;
        case HtmlRole:
            return cell.html;
        case Qt::AccessibleTextRole:
            return cell.note.isEmpty() ? QStringLiteral("no output")
                                       : cell.text + QStringLiteral(". ") + cell.note;
        case Qt::ToolTipRole:
            return cell.traceFile.isEmpty()
                       ? QVariant()
                       : QVariant(QStringLiteral(
                             "Enter or double click: open its trace in Inspect. Ctrl+click a second one, "
                             "then Shift+Enter: both side by side."));
        case RunRole:
            return runs_[index.column() - 1];
        case TraceRole:
            return cell.traceFile;
        default:
            return {};
    }
}

QVariant SampleMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (section == 0)
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("Prompt and reference")) : QVariant();
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return titles_[section - 1];
    return role == Qt::DecorationRole ? QVariant(runIcon(runs_[section - 1])) : QVariant();
}

}  // namespace kurve::views
