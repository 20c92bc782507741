#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/config/field_spec.h"
#include "core/store/run_writer.h"

namespace kurve::testing {

/// A small model family with one field of every type, groups, a preset and a live field.
[[nodiscard]] Schema syntheticSchema();
/// What `kurve describe --json` would print for it.
[[nodiscard]] std::string syntheticDescription();
/// project.toml, two experiments, data/: a folder that the studio opens.
void writeSyntheticProject(const std::filesystem::path& folder);

/// Settings of a run with curves like those of a training.
struct SyntheticRun {
    std::string id, name = "synthetic", state = "completed", reason;
    std::int64_t points = 400;      ///< logged every 10 steps
    double seed = 1;                ///< shifts the curves
    std::string corpus = "corpus";  ///< run key data_hash
};
/// One logged point (loss, nll, gradient norm, learning rate, throughput) at `step` of `total`.
void logPoint(store::RunWriter& writer, std::int64_t step, std::int64_t total, double wall, double seed);
/// One evaluation: validation metrics, samples of four prompts, the histogram of loss by log-SNR.
void logEvaluation(store::RunWriter& writer, std::int64_t step, std::int64_t total, double wall, double seed);
void writeSyntheticRun(const std::filesystem::path& project, const SyntheticRun& run);

}  // namespace kurve::testing
