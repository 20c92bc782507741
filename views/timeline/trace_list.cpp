#include "views/timeline/trace_list.h"

#include <algorithm>
#include <map>

#include "core/trace/edit.h"
#include "views/common/data/run_catalog.h"

namespace kurve::views {
namespace {

/// Index of the fixed prompt with this text; -1 = none. Samples have no text: by the trace's file.
int promptIndex(const RunData& data, const std::string& input, const trace::Trace& shown) {
    for (const auto& row : data.traces)
        if (input.empty() && row.path.text() == trace::traceNameOf(shown.file)) return row.prompt;
    for (const auto& sample : data.samples)
        if (sample.input == input) return sample.prompt;
    for (const auto& row : data.traces)
        if (row.text == input) return row.prompt;
    return -1;
}

}  // namespace

std::vector<RunTrace> tracesOf(const RunData& data, const QString& runId, const trace::Trace& shown) {
    const std::string input = shown.metaText("prompt");
    const bool prompted = !input.empty() || shown.metaText("prompt_kind") == "nothing";
    if (!prompted || shown.metaText("run") != runId.toStdString() || !shown.metaText("branch_parent").empty())
        return {};
    const int prompt = promptIndex(data, input, shown);
    std::map<qint64, const store::TraceRow*> newest;
    for (const auto& row : data.traces) {
        if (row.prompt != prompt || prompt < 0) continue;
        const store::TraceRow*& known = newest[row.step];
        if (known == nullptr || row.recorded >= known->recorded) known = &row;
    }
    std::vector<RunTrace> out;
    for (const auto& [step, row] : newest) out.push_back({step, QString::fromStdString(row->path.text())});
    return out;
}

int traceAt(const std::vector<RunTrace>& traces, qint64 step) {
    if (traces.empty()) return -1;
    const auto after = std::upper_bound(traces.begin(), traces.end(), step,
                                        [](qint64 at, const RunTrace& r) { return at < r.step; });
    return std::max(0, static_cast<int>(after - traces.begin()) - 1);
}

}  // namespace kurve::views
