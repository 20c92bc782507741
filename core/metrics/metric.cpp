#include "core/metrics/metric.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/metrics/detail/metric_kinds.h"

namespace kurve::metrics {
namespace {

Error unknownMetric(const std::string& id) {
    std::vector<std::string> known;
    for (const MetricKind& kind : metricKinds()) known.push_back(kind.id);
    const auto near = nearestWord(id, known);
    return requestError("metric.unknown", fmt::format("there is no metric “{}”", id))
        .fix((near ? "did you mean " + *near + "? " : std::string()) + "known: " + join(known, ", ") +
             "; those that a model computes: kurve describe metrics");
}

Status checkCounts(const MetricKind& kind, const MetricInput& input) {
    if (kind.comparesDraws && input.references.empty())
        return requestError("metric.counts",
                            kind.id + " compares samples of the same sources, and there is one of each")
            .fix("give each further sample as a file of references");
    const auto wrong = [&](std::size_t references) {
        return requestError("metric.counts", fmt::format("{} hypotheses but {} references",
                                                         input.hypotheses.size(), references))
            .fix("both need the same number of lines");
    };
    if (input.references.size() != input.hypotheses.size()) return wrong(input.references.size());
    for (const auto& more : input.moreReferences)
        if (more.size() != input.hypotheses.size()) return wrong(more.size());
    return {};
}

}  // namespace

std::span<const MetricKind> metricKinds() {
    using namespace detail;
    static const std::vector<MetricKind> kinds{
        bleuKind(),           compoundBleuKind(), chrfKind(),           chrfPlusPlusKind(),
        sentenceBleuKind(),   nltkBleuKind(),     exactMatchKind(),     distinct1Kind(),
        distinct2Kind(),      distinct3Kind(),    tokenAccuracyKind(),  tokenRepetitionKind(),
        wordRepetitionKind(), rougeLKind(),       selfBleuKind(),       selfBleuPairsKind(),
        div4Kind(),           wordEntropyKind(),  textRepetitionKind(), sourceOverlapKind(),
        wordRatioKind(),
    };
    return kinds;
}

bool higherIsBetter(const std::string& id) {
    for (const MetricKind& kind : metricKinds())
        if (kind.id == id) return kind.higherIsBetter;
    for (const ScalarSpec& info : commonScalars())
        if (info.id == id) return info.higherIsBetter;
    return true;
}

Result<Score> score(const std::string& id, const MetricInput& input) {
    const auto kinds = metricKinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const MetricKind& k) { return k.id == id; });
    if (kind == kinds.end()) return unknownMetric(id);
    if (input.hypotheses.empty())
        return requestError("metric.empty", "nothing to score").fix("give at least one line");
    if (kind->needsTokens && input.hypothesisTokens.size() != input.hypotheses.size())
        return requestError("metric.needs_tokens",
                            id + " counts generated tokens, which a text does not have")
            .fix("use kurve eval on the run, or reps_word");
    if (kind->needsSources && input.sources.size() != input.hypotheses.size())
        return requestError("metric.no_sources", id + " compares an output with its source")
            .at(id)
            .fix("use kurve eval on the run");
    if (kind->needsReferences) KURVE_CHECKED(checkCounts(*kind, input));
    return kind->compute(input);
}

}  // namespace kurve::metrics
