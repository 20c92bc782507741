#include "views/timeline/recordings.h"

#include <algorithm>
#include <map>

#include "views/common/format.h"
#include "views/common/panel.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"

namespace kurve::views {
namespace {

std::string text(const trace::Trace& trace, const char* key) {
    const auto found = trace.meta.find(key);
    return found == trace.meta.end() ? std::string() : found->second;
}

/// Number of the fixed prompt with this text; -1 = none.
int promptNumber(const RunData& data, const std::string& input) {
    for (const auto& sample : data.samples)
        if (sample.input == input) return sample.prompt;
    for (const auto& row : data.traces)
        if (row.text == input) return row.prompt;
    return -1;
}

}  // namespace

std::vector<Recording> recordingsOf(const RunData& data, const QString& runId, const trace::Trace& shown) {
    const std::string input = text(shown, "prompt");
    if (input.empty() || text(shown, "run") != runId.toStdString() || !text(shown, "branch_parent").empty())
        return {};
    const int prompt = promptNumber(data, input);
    std::map<qint64, const store::TraceRow*> newest;
    for (const auto& row : data.traces) {
        if (row.prompt != prompt || prompt < 0) continue;
        const store::TraceRow*& known = newest[row.step];
        if (known == nullptr || row.recorded >= known->recorded) known = &row;
    }
    std::vector<Recording> out;
    for (const auto& [step, row] : newest) out.push_back({step, QString::fromStdString(row->path)});
    return out;
}

int recordingAt(const std::vector<Recording>& recordings, qint64 step) {
    if (recordings.empty()) return -1;
    const auto after = std::upper_bound(recordings.begin(), recordings.end(), step,
                                        [](qint64 at, const Recording& r) { return at < r.step; });
    return std::max(0, static_cast<int>(after - recordings.begin()) - 1);
}

qint64 trainedSteps(const trace::Trace& trace) {
    bool number = false;
    const qint64 step = QString::fromStdString(text(trace, "checkpoint_step")).toLongLong(&number);
    return number ? step : -1;
}

RecordingOwner ownerOf(const trace::Trace& shown, const StudioContext& context) {
    const QString id = QString::fromStdString(text(shown, "run"));
    if (id.isEmpty()) return {};
    const store::RunSummary* run = context.catalog != nullptr ? context.catalog->run(id) : nullptr;
    RecordingOwner owner{run != nullptr ? QString::fromStdString(run->name) : id, true};
    if (const qint64 step = trainedSteps(shown); step >= 0)
        owner.text = QObject::tr("%1, step %2").arg(owner.text, countText(step));
    const QStringList chosen = context.selection->runs();
    owner.selected = chosen.isEmpty() || chosen.contains(id);
    return owner;
}

}  // namespace kurve::views
