#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"

namespace kurve::metrics::detail {
namespace {

/// Runs of ASCII letters and digits, small: the words of the Python package rouge-score without its stemmer.
std::vector<std::string> rougeWords(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char letter : text) {
        const auto c = static_cast<unsigned char>(letter);
        if (c < 128 && std::isalnum(c) != 0)
            words.back().push_back(static_cast<char>(std::tolower(c)));
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

/// Length of the longest common subsequence.
std::size_t commonLength(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (const std::string& word : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = word == b[j] ? diagonal + 1 : std::max(above, row[j]);
            diagonal = above;
        }
    }
    return row.back();
}

double rougeL(const std::string& hypothesis, const std::string& reference) {
    const auto mine = rougeWords(hypothesis), theirs = rougeWords(reference);
    const auto common = static_cast<double>(commonLength(theirs, mine));
    if (common == 0) return 0;
    const double precision = common / static_cast<double>(mine.size()),
                 recall = common / static_cast<double>(theirs.size());
    return 2 * precision * recall / (precision + recall);
}

Result<Score> score(const MetricInput& input) {
    SentenceStatistics statistics(2);
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        double best = rougeL(input.hypotheses[i], input.references[i]);
        for (const auto& more : input.moreReferences)
            best = std::max(best, rougeL(input.hypotheses[i], more[i]));
        statistics.add(std::array<double, 2>{best, 1});
    }
    Score out = scoreOf(statistics, [](auto sums) { return sums[1] > 0 ? 100 * sums[0] / sums[1] : 0; });
    out.signature =
        fmt::format("nrefs:{}|stemmer:no|kurve:{}", 1 + input.moreReferences.size(), versionText());
    return out;
}

}  // namespace

MetricKind rougeLKind() {
    return {"rouge-l", "ROUGE-L",
            "",        "F1 of the longest common subsequence of words, a mean over texts, 0 to 100",
            true,      true,
            score};
}

}  // namespace kurve::metrics::detail
