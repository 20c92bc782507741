#include "views/timeline/recordings.h"

#include <algorithm>
#include <map>

#include "views/common/run_catalog.h"

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
    for (const auto& [step, row] : newest) out.push_back({step, QString::fromStdString(row->path.text())});
    return out;
}

int recordingAt(const std::vector<Recording>& recordings, qint64 step) {
    if (recordings.empty()) return -1;
    const auto after = std::upper_bound(recordings.begin(), recordings.end(), step,
                                        [](qint64 at, const Recording& r) { return at < r.step; });
    return std::max(0, static_cast<int>(after - recordings.begin()) - 1);
}

}  // namespace kurve::views
