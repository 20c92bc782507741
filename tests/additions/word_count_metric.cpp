#include <algorithm>
#include <sstream>

#include "tests/additions/additions.h"

namespace kurve::metrics::detail {
namespace {

Result<Score> wordCount(const MetricInput& input) {
    Score score;
    for (const std::string& line : input.hypotheses) {
        std::istringstream words(line);
        for (std::string word; words >> word;) score.value += 1;
    }
    score.n = static_cast<int>(input.hypotheses.size());
    score.value /= std::max(score.n, 1);
    score.low = score.high = score.value;
    return score;
}

}  // namespace

MetricKind wordCountKind() {
    MetricKind kind{"word-count", "Words", "words", "mean number of words in a sentence"};
    kind.needsReferences = false;
    kind.compute = wordCount;
    return kind;
}

}  // namespace kurve::metrics::detail
