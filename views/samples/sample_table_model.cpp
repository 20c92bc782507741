#include "views/samples/sample_table_model.h"

#include "views/common/text/format.h"
#include "views/common/text/word_diff.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
bool same(const store::SampleRow& a, const store::SampleRow& b) {
    return a.prompt == b.prompt && a.step == b.step && a.output == b.output && a.input == b.input &&
           a.traceFile == b.traceFile;
}
}  // namespace

void SampleTableModel::setRows(std::vector<store::SampleRow> rows) {
    if (rows.size() != rows_.size()) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
        return;
    }
    if (std::equal(rows.begin(), rows.end(), rows_.begin(), same)) return;
    rows_ = std::move(rows);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

int SampleTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant SampleTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const store::SampleRow& row = rows_[static_cast<std::size_t>(index.row())];
    const QString text = qt(index.column() == Input    ? row.input
                            : index.column() == Output ? row.output
                                                       : row.reference);
    switch (role) {
        case Qt::DisplayRole:
            return text;
        case HtmlRole:
            if (index.column() != Output)
                return QStringLiteral("<span style=\"color:%1\">%2</span>")
                    .arg(theme().muted.name(), text.toHtmlEscaped());
            if (text.trimmed().isEmpty())
                return QStringLiteral("<i style=\"color:%1\">%2</i>")
                    .arg(theme().faint.name(), tr("(empty)"));
            return row.reference.empty() ? text.toHtmlEscaped() : diffHtml(qt(row.reference), text);
        case Qt::ToolTipRole:
            if (row.traceFile.empty())
                return tr("step %1, score %2").arg(countText(row.step), numberText(row.score));
            return tr("step %1, score %2. Double click or Enter opens its trace.")
                .arg(countText(row.step), numberText(row.score));
        case TraceRole:
            return qt(row.traceFile.text());
        case StepRole:
            return static_cast<qlonglong>(row.step);
        default:
            return {};
    }
}

QVariant SampleTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= Columns)
        return {};
    static const QStringList kTitles{tr("Input"), tr("Output"), tr("Reference")};
    return kTitles[section];
}

}  // namespace kurve::views
