#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics::detail {

/// Words between Unicode white space, as Python's str.split().
[[nodiscard]] std::vector<std::string> splitUnicode(std::string_view text);

using Tokenizer = std::vector<std::string> (*)(std::string_view line);
struct NamedTokenizer {
    std::string name;
    Tokenizer split = nullptr;
};
/// The "tokenize" option, or `fallback`: 13a (mteval-v13a as in sacreBLEU), char, none (white space),
/// compound (white space, hyphens within a word split off). Errors: metric.bad_option.
Result<NamedTokenizer> tokenizerOf(const MetricInput& input, const std::string& fallback);

/// Numbers words, so that n-grams are compared as integers. Not thread-safe.
class Vocabulary {
public:
    [[nodiscard]] std::vector<std::uint32_t> ids(const std::vector<std::string>& words);

private:
    std::map<std::string, std::uint32_t, std::less<>> ids_;
};

}  // namespace kurve::metrics::detail
