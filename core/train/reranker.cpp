#include "core/train/reranker.h"

#include <algorithm>

#include "core/base/check.h"

namespace kurve::train {

FieldSpec scorerField(std::string key) {
    return runField(std::move(key), "run that scores the candidates (selection ppl), with its own tokenizers")
        .fits({kExactLikelihood})
        .from("Difformer's code, ppl-mbr");
}

Result<TextScorer*> scorerFor(RunResolver* maybeResolver, const RunConfig& sampler) {
    if (!sampler.has("sampler.selection") || sampler.text("sampler.selection") != kPplSelection)
        return nullptr;
    const std::string& run = sampler.text("sampler.scorer");
    const auto refused = [](std::string what) {
        return requestError("sample.scorer", std::move(what)).at("sampler.scorer");
    };
    if (run.empty())
        return refused("sampler.selection = \"ppl\" needs a scorer")
            .fix("name a run with an exact likelihood: --set sampler.scorer=RUN");
    if (maybeResolver == nullptr) return refused("scorers are not available here");
    auto scorer = maybeResolver->scorer(*sampler.schema().find("sampler.scorer"), run);
    if (!scorer && scorer.error().code == "run.missing")
        return std::move(scorer.error())
            .fix(
                "name another scorer, or none: --set sampler.selection=likelihood; a run that was trained "
                "with it continues without: kurve fork RUN --set sampler.selection=likelihood --set "
                "sampler.scorer=");
    return scorer;
}

Status rankCandidates(TextScorer& scorer, std::span<const std::string> sources, const text::Tokenizer& target,
                      std::vector<GeneratedRow>& rows, std::optional<std::int64_t> maybeFirst) {
    KURVE_CHECK(sources.size() == rows.size(), "{} sources of {} rows", sources.size(), rows.size());
    std::vector<ScoredPair> pairs;
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (const Candidate& candidate : rows[r].candidates)
            pairs.push_back({sources[r], target.decode(candidate.ids)});
    KURVE_TRY(const std::vector<double> scores, scorer.score(pairs));
    KURVE_CHECK(scores.size() == pairs.size(), "{} scores of {} candidates", scores.size(), pairs.size());
    auto score = scores.begin();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        auto& all = rows[r].candidates;
        for (Candidate& candidate : all) candidate.score = *score++;
        std::stable_sort(all.begin(), all.end(),
                         [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
        if (r == 0 && maybeFirst)
            std::stable_partition(all.begin(), all.end(),
                                  [&](const Candidate& one) { return one.number == *maybeFirst; });
        if (!all.empty()) rows[r].best = all.front();
    }
    return {};
}

}  // namespace kurve::train
