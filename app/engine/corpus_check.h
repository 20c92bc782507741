#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"
#include "core/text/import.h"
#include "core/text/tokenizer.h"

namespace kurve::engine {

/// How a corpus is tokenized for its check; the defaults are those of an experiment's data.* fields.
struct CheckSettings {
    text::TokenizerSpec tokenizer;  ///< joint: trained on both sides of the training split
    std::int64_t maxLength = 64;    ///< tokens, <s> and </s> count
};

/// What `kurve data import --check` prints (`assets/help/data.md`): the numbers of an import, lengths,
/// unknown text, a few pairs of each split, and under "problems" what an import or a training would refuse.
/// Writes nothing. Errors: those of reading, data.too_few.
Result<nlohmann::json> checkCorpus(const text::ImportRequest& request, const CheckSettings& settings,
                                   const std::filesystem::path& project);
[[nodiscard]] std::string checkText(const nlohmann::json& found);

}  // namespace kurve::engine
