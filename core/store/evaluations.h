#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::store {

/// What `kurve eval --save` found out lies in <run folder>/evaluations/, a JSON document for each checkpoint
/// and split: {"run","checkpoint","split","metrics":{id:{"value","ci95",…}},…}, written whole or not at all.
Status saveEvaluation(const std::filesystem::path& runFolder, const nlohmann::json& document);

/// The files of a run, the oldest first, so that a later one may take the place of an earlier one.
[[nodiscard]] std::vector<std::filesystem::path> storedEvaluations(const std::filesystem::path& runFolder);

/// The newest score of each split and metric as a number of the run, "eval_test_bleu"; damaged files are left
/// out. Reads files: not on the GUI thread.
[[nodiscard]] std::map<std::string, double> evaluatedNumbers(const std::filesystem::path& runFolder);

}  // namespace kurve::store
