#include "views/compare/sample_cells.h"

#include <algorithm>
#include <utility>

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
        std::ranges::stable_sort(rows, {}, &store::SampleRow::prompt);
        for (const store::SampleRow& row : rows) {
            if (std::ranges::find(found, row.input, &store::SampleRow::input) == found.end())
                found.push_back(row);
        }
    }
    return found;
}

QString noteHtml(const QString& text) {
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
    if (!sample.reference.empty() && output == qt(sample.reference))
        note = QStringLiteral("✓ exact, ") + note;
    if (against.text && !against.name.isEmpty())
        note += output == *against.text ? QStringLiteral(", same as %1").arg(against.name) : QString();
    if (sample.traceFile.empty()) note += QStringLiteral(", no trace");
    return note;
}

CellData promptCell(const store::SampleRow& prompt) {
    const QString input = qt(prompt.input), reference = qt(prompt.reference);
    const QString both = reference.isEmpty() ? input : input + QStringLiteral(" → ") + reference;
    return {{Qt::DisplayRole, both},
            {Qt::AccessibleTextRole, both},
            {SampleHtmlRole, noteHtml(input) + QStringLiteral("<br/>") + reference.toHtmlEscaped()}};
}

CellData outputCell(const ComparedRun& run, const store::SampleRow* sample, const Against& against) {
    if (!sample)
        return {{Qt::AccessibleTextRole, QStringLiteral("no output")},
                {SampleHtmlRole, noteHtml(QStringLiteral("no output"))}};
    const QString output = qt(sample->output), note = noteOn(*sample, output, against);
    const QString words = against.text ? diffHtml(*against.text, output) : output.toHtmlEscaped();
    CellData cell{{Qt::DisplayRole, output},
                  {Qt::AccessibleTextRole, output + QStringLiteral(". ") + note},
                  {SampleHtmlRole, words + QStringLiteral("<br/>") + noteHtml(note)},
                  {SampleRunRole, run.id},
                  {SampleTraceRole, qt(sample->traceFile.text())}};
    if (!sample->traceFile.empty())
        cell[Qt::ToolTipRole] = QStringLiteral(
            "Enter or double click: open its trace in Inspect. Ctrl+click a second one, "
            "then Shift+Enter: both side by side.");
    return cell;
}

}  // namespace

std::vector<CellRow> sampleCells(const std::vector<ComparedRun>& runs, const SampleRequest& request) {
    const auto other = std::ranges::find(runs, request.against, &ComparedRun::id);
    std::vector<CellRow> rows;
    for (const store::SampleRow& prompt : prompts(runs)) {
        Against against;
        if (other == runs.end() && !prompt.reference.empty()) against.text = qt(prompt.reference);
        if (other != runs.end())
            if (const auto* sample = latest(*other, prompt.input, request.step))
                against = {qt(sample->output), other->title};
        CellRow row{promptCell(prompt)};
        for (const ComparedRun& run : runs) {
            const bool itself = other != runs.end() && run.id == other->id;
            row.push_back(
                outputCell(run, latest(run, prompt.input, request.step), itself ? Against() : against));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace kurve::views
