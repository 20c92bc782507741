#pragma once

#include "views/common/data/run_catalog.h"

namespace kurve::views {

inline store::TraceRow traceRow(std::int64_t step, int prompt) {
    store::TraceRow row;
    row.step = step;
    row.prompt = prompt;
    row.path =
        store::RunFile("traces/" + std::to_string(step) + "-" + std::to_string(prompt) + ".safetensors");
    row.text = "prompt " + std::to_string(prompt);
    return row;
}

inline store::SampleRow sampleRow(std::int64_t step, int prompt, const std::string& output) {
    store::SampleRow row;
    row.step = step;
    row.prompt = prompt;
    row.input = "input of " + std::to_string(prompt);
    row.output = output;
    return row;
}

/// Two prompts, three evaluations; prompt 1 was not recorded at the second.
inline RunData traces() {
    RunData data;
    data.traces = {traceRow(100, 0),  traceRow(100, 1),  traceRow(200, 0),
                   traceRow(1300, 0), traceRow(1300, 1), traceRow(1300, -1)};
    data.samples = {sampleRow(100, 0, "abc"), sampleRow(1300, 1, "The end.")};
    return data;
}

}  // namespace kurve::views
