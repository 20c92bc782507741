#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/store/run_reader.h"
#include "core/trace/trace.h"

namespace kurve::interop {

/// A run opened for export. Use from one thread at a time.
struct ExportedRun {
    std::string id;
    std::shared_ptr<const store::RunReader> reader;
};

/// Every logged point of the named metrics (none named: all) as csv, markdown (columns metric, step, wall,
/// value) or json; with several runs a column `run` comes first. What readCsvLog() reads back. Errors:
/// export.no_metric (the nearest one is suggested).
Result<std::string> scalarsText(std::span<const ExportedRun> runs, const std::string& format,
                                const std::vector<std::string>& metrics);
/// The same as safetensors: "<metric>/step" I64, "<metric>/wall" and "<metric>/value" F64, with several runs
/// behind "<run>/". Errors: as above; io.write.
Status writeScalars(const std::filesystem::path& file, std::span<const ExportedRun> runs,
                    const std::vector<std::string>& metrics);

/// Outputs for the fixed prompts at every evaluation as csv, markdown or json.
Result<std::string> samplesText(std::span<const ExportedRun> runs, const std::string& format);

/// Every setting as toml (canonical: an experiment file), csv, markdown or json.
[[nodiscard]] std::string configText(const RunConfig& config, const std::string& format);

/// The trace requested by its path, file name or training step; empty: the newest. Errors: export.no_trace
/// (those that there are).
Result<std::filesystem::path> findTrace(const ExportedRun& run, const std::string& which);
/// Every position of every step as csv or json; as markdown one line a step with its text.
[[nodiscard]] std::string traceText(const trace::Trace& trace, const std::string& format);

/// What weights.safetensors, or the averaged weights, of each checkpoint hold; several checkpoints (best
/// first) become their mean, summed in doubles, as F32. Whole numbers are the first one's.
struct WeightsSource {
    std::vector<std::filesystem::path> checkpoints;
    std::map<std::string, std::string> facts;  ///< into the file's metadata: run, family, step, config …
};
/// One safetensors file that any reader of the format opens. Errors: safetensors.*, checkpoint.shape (the
/// checkpoints differ), io.write.
Status writeWeights(const std::filesystem::path& file, const WeightsSource& source);
/// Names, types and shapes of the first checkpoint's tensors as csv, markdown or json.
Result<std::string> weightsText(const WeightsSource& source, const std::string& format);

}  // namespace kurve::interop
