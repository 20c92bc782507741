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
/// Scores of the same weights ("checkpoint_sha256") by the same scorer that are there and not in `document`
/// are kept. One of the first pairs only ("limit"), or decoded with other settings than the run's own
/// ("sampler": {key: text}), stands beside it.
Status saveEvaluation(const std::filesystem::path& runFolder, const nlohmann::json& document);

/// Of an evaluation's document "@limit=10,beam=8,temperature=0.7", where it is not of all pairs with the
/// run's own settings; else empty.
[[nodiscard]] std::string otherSettings(const nlohmann::json& document);

/// The files of a run, the oldest first, so that a later one may replace an earlier one.
[[nodiscard]] std::vector<std::filesystem::path> storedEvaluations(const std::filesystem::path& runFolder);

/// The newest score of each split and metric as a number of the run, "eval_test_bleu", or with other settings
/// than its own "eval_test_bleu@beam=8,temperature=0.7"; those of Brier name the distance of their places
/// too, "eval_test_brierlm@every=4". Damaged files are left out. Reads files: not on the GUI thread.
[[nodiscard]] std::map<std::string, double> evaluatedNumbers(const std::filesystem::path& runFolder);

}  // namespace kurve::store
