#include "views/runs/run_facts.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/wire/fields.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/runs/project_changes.h"

namespace kurve::views {
namespace {

constexpr double kLongestStartup = 30;  ///< seconds of preparing data and shutting down

QString htmlOf(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
}

QString say(const char* text) {
    return QCoreApplication::translate("kurve::views::InspectorPanel", text);
}

std::string valueIn(const RunData* data, const char* key) {
    return data == nullptr ? std::string() : data->value(key);
}

QString link(const std::string& id, const std::string& text) {
    return QStringLiteral("<a style=\"color:%1\" href=\"%2\">%3</a>")
        .arg(theme().accent.name(), htmlOf(id), htmlOf(text));
}

/// The rows of the table.
class Rows {
public:
    void add(const QString& label, const QString& value) {
        if (value.isEmpty()) return;
        html_ += QStringLiteral("<tr><td style=\"color:%1; padding-right:%4px\">%2</td><td>%3</td></tr>")
                     .arg(theme().muted.name(), label, value)
                     .arg(px(space::kMedium));
    }
    [[nodiscard]] QString table() const {
        return QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">%1</table>").arg(html_);
    }

private:
    QString html_;
};

/// Wall time includes pauses and the time between attempts; training time does not.
QString wallTimeText(const store::RunSummary& run, const RunData* data) {
    const double wall = run.ended - run.started;
    const double trained = std::strtod(valueIn(data, "seconds").c_str(), nullptr);
    if (trained <= 0 || wall < trained + kLongestStartup) return durationText(wall);
    return say("%1 (training %2)").arg(durationText(wall), durationText(trained));
}

void addProgress(Rows& rows, const store::RunSummary& run, const RunData* data) {
    rows.add(say("Family"), htmlOf(run.family));
    rows.add(say("Task"), htmlOf(run.task));
    QString step = countText(run.step);
    if (run.totalSteps > 0 && run.plannedSeconds <= 0) step += say(" of %1").arg(countText(run.totalSteps));
    rows.add(say("Step"), step);
    if (run.plannedSeconds > 0)
        rows.add(say("Planned"), say("%1 of training").arg(durationText(run.plannedSeconds)));
    rows.add(say("Started"), momentText(run.started));
    if (run.ended > run.started) rows.add(say("Wall time"), wallTimeText(run, data));
}

void addReproduction(Rows& rows, const RunData* data) {
    if (const std::string first = valueIn(data, "reproduces"); !first.empty()) {
        const std::string difference = valueIn(data, "reproduce_difference");
        const QString result = difference.empty() ? QString()
                               : difference == "none"
                                   ? say("bit-identical")
                                   : say("differs from step %1 on").arg(htmlOf(difference));
        rows.add(say("Reproduces"), link(first, first) + QLatin1Char(' ') + result);
    }
}

void addDisk(Rows& rows, const store::RunSummary& run, const RunData* data, const QStringList& away) {
    if (run.bytes <= 0) return;
    QStringList parts;
    double checkpoints = 0, traces = 0;
    if (data != nullptr) {
        for (const auto& row : data->checkpoints)
            if (!away.contains(QString::fromStdString(row.path.name())))
                checkpoints += static_cast<double>(row.bytes);
        for (const auto& row : data->traces) traces += static_cast<double>(row.bytes);
    }
    if (checkpoints > 0) parts << say("checkpoints %1").arg(bytesText(checkpoints));
    if (traces > 0) parts << say("traces %1").arg(bytesText(traces));
    const QString all = bytesText(static_cast<double>(run.bytes));
    rows.add(say("On disk"),
             parts.isEmpty() ? all : say("%1 (%2)").arg(all, parts.join(QStringLiteral(", "))));
}

QString programOf(const wire::Fields& environment) {
    const std::string version = environment.text("version"), commit = environment.text("commit");
    if (version.empty()) return {};
    QString text = say("Kurve %1").arg(htmlOf(version));
    const std::string dirty = "-dirty";
    const bool modified = commit.ends_with(dirty);
    const std::string hash = modified ? commit.substr(0, commit.size() - dirty.size()) : commit;
    if (!hash.empty()) text += say(", commit %1").arg(htmlOf(hash));
    return modified ? text + say(" (built from modified sources)") : text;
}

void addOrigin(Rows& rows, const store::RunSummary& run, const RunData* data) {
    rows.add(say("Trained on"), htmlOf(run.machine));
    const auto document = nlohmann::json::parse(valueIn(data, "environment"), nullptr, false);
    if (!document.is_object()) return;
    const wire::Fields environment(document);
    rows.add(say("Program"), programOf(environment));
    const auto text = [&](const char* key) { return htmlOf(environment.text(key)); };
    rows.add(say("LibTorch"), text("libtorch"));
    QString device = text("device");
    if (const int threads = environment.integer("threads", 0); threads > 0)
        device += threads == 1 ? say(", 1 thread") : say(", %1 threads per operation").arg(threads);
    rows.add(say("Device"), device);
    QStringList machine{text("host"), text("cpu"), text("system")};
    machine.removeAll(QString());
    rows.add(say("Machine"), machine.join(QStringLiteral(", ")));
}

}  // namespace

QString runFacts(const store::RunSummary& run, const RunData* maybeData, bool dataIsAsRecorded,
                 const QStringList& away) {
    Rows rows;
    addProgress(rows, run, maybeData);
    addReproduction(rows, maybeData);
    addDisk(rows, run, maybeData, away);
    rows.add(say("Config"), htmlOf(run.configHash).left(12));
    QString corpora = htmlOf(valueIn(maybeData, "data_hash")).left(12);
    if (dataIsAsRecorded && !corpora.isEmpty()) corpora += say(" ✓ unchanged");
    rows.add(say("Data"), corpora);
    rows.add(say("Project"), projectRevisionText(valueIn(maybeData, "project_revision")));
    addOrigin(rows, run, maybeData);
    return rows.table();
}

}  // namespace kurve::views
