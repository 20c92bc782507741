#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kurve::store {

/// What `kurve eval --save` found out lies in <run folder>/evaluations/, a JSON document for each checkpoint,
/// split and scoreSettings(): {"run","checkpoint","split","metrics":{id:{"value","ci95","saved",…}},…}, each
/// written whole or not at all; "saved": when, in seconds since 1970. Scores of the same weights
/// ("checkpoint_sha256") by the same scorer that are there and not in `document` are kept.
Status saveEvaluation(const std::filesystem::path& runFolder, const nlohmann::json& document);

/// What a score of an evaluation's document compares with only where it is the same, sorted:
/// "@beam=8,limit=10,temperature=0.7". That is "limit" where it is of the first pairs only, "sampler" ({key:
/// text}) where it was decoded with other settings than the run's own, "scorer" of metrics by one (its run
/// and checkpoint), and "every" of Brier scores, the distance of their places. Else empty.
[[nodiscard]] std::string scoreSettings(const nlohmann::json& document, const std::string& metric,
                                        const nlohmann::json& score);

/// The name of one of evaluatedNumbers() in its parts: "eval_test_bleu@beam=8,limit=10".
struct ScoreName {
    std::string split, metric, settings;  ///< "test", "bleu", "beam=8,limit=10"
};
/// Nothing for the name of another number.
[[nodiscard]] std::optional<ScoreName> scoreName(std::string_view number);

/// The files of a run, the oldest first, so that a later one may replace an earlier one.
[[nodiscard]] std::vector<std::filesystem::path> storedEvaluations(const std::filesystem::path& runFolder);

/// The score that was saved last of each split and metric as a number of the run, "eval_test_bleu", with
/// scoreSettings() where there are any: "eval_test_brierlm@every=4". Damaged files and scores that are not
/// finite are left out. Reads files: not on the GUI thread.
[[nodiscard]] std::map<std::string, double> evaluatedNumbers(const std::filesystem::path& runFolder);

}  // namespace kurve::store
