#include "views/compare/sample_matrix.h"

#include <QScrollBar>
#include <algorithm>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/word_diff.h"

namespace kurve::views {

namespace {

/// The latest sample of a prompt up to `step`, or null.
const store::SampleRow* latest(const RunData& data, const std::string& input, std::optional<qint64> step) {
    const store::SampleRow* best = nullptr;
    for (const store::SampleRow& row : data.samples) {
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
        auto rows = run.data->samples;
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

QString cell(const QString& inner, int percent, bool header = false) {
    return QStringLiteral("<td width=\"%1%\" style=\"padding:%2px;border-bottom:1px solid %3;%4\">%5</td>")
        .arg(percent)
        .arg(px(6))
        .arg(theme().border.name(),
             header ? QStringLiteral("background:%1").arg(theme().raised.name()) : QString(), inner);
}

QString caption(const QString& text) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(theme().muted.name(), text);
}

QString headerRow(const std::vector<ComparedRun>& runs, int first, int percent) {
    QString row = cell(caption(QStringLiteral("Prompt, and what it should become")), first, true);
    for (const ComparedRun& run : runs) {
        row += cell(QStringLiteral("<span style=\"color:%1\">▬</span> <b>%2</b>")
                        .arg(runStyle(run.id).color.name(), run.title.toHtmlEscaped()),
                    percent, true);
    }
    return QStringLiteral("<tr>%1</tr>").arg(row);
}

QString outputCell(const store::SampleRow* sample, int percent) {
    if (!sample) return cell(caption(QStringLiteral("no output recorded")), percent);
    const QString output = QString::fromStdString(sample->output);
    const QString reference = QString::fromStdString(sample->reference);
    const QString note = output == reference ? QStringLiteral("✓ exact, step %1") : QStringLiteral("step %1");
    return cell(QStringLiteral("%1<br/>%2")
                    .arg(reference.isEmpty() ? output.toHtmlEscaped() : diffHtml(reference, output),
                         caption(note.arg(countText(sample->step)))),
                percent);
}

}  // namespace

SampleMatrix::SampleMatrix(QWidget* parent) : QTextBrowser(parent) {
    setObjectName(QStringLiteral("compare.samples"));
    setAccessibleName(QStringLiteral("Outputs of the compared runs for the fixed prompts"));
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
}

void SampleMatrix::setRuns(const std::vector<ComparedRun>& runs, std::optional<qint64> step) {
    const auto rows = prompts(runs);
    promptCount_ = static_cast<int>(rows.size());
    if (rows.empty()) {
        setHtml(
            caption(QStringLiteral("No outputs yet: a run records its fixed prompts at each evaluation.")));
        return;
    }
    const int first = 30, percent = 70 / std::max<int>(1, static_cast<int>(runs.size()));
    QString table = headerRow(runs, first, percent);
    for (const store::SampleRow& prompt : rows) {
        QString row = cell(QStringLiteral("%1<br/>%2")
                               .arg(caption(QString::fromStdString(prompt.input).toHtmlEscaped()),
                                    QString::fromStdString(prompt.reference).toHtmlEscaped()),
                           first);
        for (const ComparedRun& run : runs)
            row += outputCell(run.data ? latest(*run.data, prompt.input, step) : nullptr, percent);
        table += QStringLiteral("<tr>%1</tr>").arg(row);
    }
    const int scroll = verticalScrollBar()->value();
    setHtml(
        QStringLiteral("<table width=\"100%\" cellspacing=\"0\" cellpadding=\"0\">%1</table>").arg(table));
    verticalScrollBar()->setValue(scroll);
}

}  // namespace kurve::views
