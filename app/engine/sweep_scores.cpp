// What the points of a sweep are scored by.
#include <algorithm>

#include "app/engine/eval_pairs.h"
#include "app/engine/sweep_job.h"
#include "core/base/text.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/metric.h"
#include "core/train/brier_scores.h"
#include "core/train/evaluation.h"

namespace kurve::engine {
namespace {

using frontier::Estimate;
using frontier::kOneMinus;
using frontier::kOneMinusSelfBleu;
using frontier::SweepPoint;

constexpr const char *kDrawnQuality = "brier-accuracy-1", *kDrawnDiversity = "one-minus-brier-collision-1",
                     *kDocumentQuality = "rouge-l";

std::vector<std::string> idsOf(const std::string& list) {
    std::vector<std::string> ids;
    for (const auto& id : split(list, ','))
        if (!trim(id).empty()) ids.emplace_back(trim(id));
    return ids;
}

Status checkKind(const metrics::MetricKind& kind, bool isDiversity) {
    if (!kind.higherIsBetter && (isDiversity || kind.comparesDraws))
        return requestError("sweep.metric_direction", "a diversity where less is better: " + kind.id)
            .at("--quality, --diversity")
            .fix("use one-minus-self-bleu instead of self-bleu");
    if (kind.comparesDraws)
        return requestError("metric.needs_samples",
                            kind.id + " compares samples of the same source, and a sweep scores one by one")
            .at("--quality, --diversity")
            .fix("use one-minus-self-bleu, or kurve score " + kind.id + " --hyp SAMPLE-1 --ref SAMPLE-2");
    return {};
}

/// "brier-collision-1" of "one-minus-brier-collision-1", and of itself; empty where it is no Brier term.
std::string brierIdOf(const std::string& metric) {
    const std::size_t from = metric.starts_with(kOneMinus) ? std::string_view(kOneMinus).size() : 0;
    const auto known = metrics::brierIds();
    const auto found = std::find(known.begin(), known.end(), metric.substr(from));
    return found == known.end() ? std::string() : *found;
}

/// In percent; one minus a score exchanges its bounds.
Estimate brierEstimate(const std::string& metric, const metrics::Score& score) {
    if (!metric.starts_with(kOneMinus))
        return {score.value, score.low, score.high, score.n, score.signature, {}};
    return {100 - score.value, 100 - score.high, 100 - score.low, score.n, score.signature, {}};
}

Status checkTextMetric(const std::string& id, bool isDiversity) {
    if (id == kOneMinusSelfBleu || (frontier::isScorerQuality(id) && !isDiversity)) return {};
    for (const auto& kind : metrics::metricKinds())
        if (kind.id == id) KURVE_CHECKED(checkKind(kind, isDiversity));
    const std::vector<std::string> line{"a b c d e"};
    if (const auto known = metrics::score(id, {line, line}); !known) return known.error();
    return {};
}

/// The mean of the draws' scores. The interval is the mean of theirs: that of one draw, so a little wide.
Estimate meanOf(const std::vector<metrics::Score>& scores) {
    Estimate mean{0, 0, 0, scores.front().n, scores.front().signature, {}};
    const auto n = static_cast<double>(scores.size());
    for (const auto& score : scores) {
        mean.value += score.value / n;
        mean.low += score.low / n;
        mean.high += score.high / n;
        mean.bySeed.push_back(score.value);
    }
    return mean;
}

Result<Estimate> oneMinusSelfBleu(const std::vector<std::vector<std::string>>& draws) {
    const std::vector<std::vector<std::string>> more(draws.begin() + 2, draws.end());
    KURVE_TRY(const metrics::Score score, metrics::score("self-bleu", {draws[0], draws[1], {}, more}));
    const auto complement = [](double bleu) { return std::clamp(1 - bleu / 100, 0.0, 1.0); };
    return Estimate{
        complement(score.value), complement(score.high), complement(score.low), score.n, score.signature, {}};
}

Result<Estimate> estimateOf(const std::string& id, const std::vector<std::vector<std::string>>& draws,
                            const std::vector<std::string>& references) {
    if (id == kOneMinusSelfBleu) return oneMinusSelfBleu(draws);
    std::vector<metrics::Score> scores;
    for (const auto& draw : draws) {
        KURVE_TRY(scores.emplace_back(), metrics::score(id, {draw, references}));
    }
    return meanOf(scores);
}

}  // namespace

Status SweepJob::checkMetric(const std::string& id, bool isDiversity) const {
    const std::string brier = brierIdOf(id);
    if (brier.empty()) return checkTextMetric(id, isDiversity);
    if (loaded_.model->brierDraws() == nullptr)
        return requestError("score.no_draws",
                            fmt::format("this run of {} does not draw texts from left to right",
                                        loaded_.run.config.family()))
            .at(id)
            .fix("ask for brier of a run of calm, or of a transformer of texts");
    if (isDiversity && !id.starts_with(kOneMinus))
        return requestError("sweep.metric_direction", "a diversity where less is better: " + id)
            .at("--diversity")
            .fix("use " + (kOneMinus + id));
    return {};
}

/// Perplexity alone would rank repetitive outputs first.
Status SweepJob::chooseMetrics() {
    const bool drawn = loaded_.data->texts && !loaded_.data->documents &&
                       loaded_.model->brierDraws() != nullptr && request_.scorer.empty();
    quality_ = idsOf(!request_.quality.empty()  ? request_.quality
                     : drawn                    ? kDrawnQuality
                     : loaded_.data->documents  ? kDocumentQuality
                     : !request_.scorer.empty() ? "bleu,chrf,gen_ppl,mauve"
                                                : "bleu,chrf");
    diversity_ = idsOf(!request_.diversity.empty() ? request_.diversity
                       : drawn                     ? kDrawnDiversity
                                                   : "one-minus-self-bleu,distinct-2,entropy");
    const auto has = [](const std::vector<std::string>& ids, const char* id) {
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    if (has(quality_, metrics::kGenPerplexity)) {
        const bool alone = std::all_of(quality_.begin(), quality_.end(),
                                       [](const std::string& id) { return id == metrics::kGenPerplexity; });
        if (alone)
            return requestError("sweep.gen_ppl_alone",
                                "gen_ppl rewards repetition and cannot be the only quality")
                .at("--quality")
                .fix("add another one: --quality chrf,gen_ppl");
        if (!has(diversity_, "entropy")) diversity_.emplace_back("entropy");  // low entropy reveals it
    }
    return {};
}

Status SweepJob::checkMetrics() {
    if (request_.seeds < 2) std::erase(diversity_, kOneMinusSelfBleu);  // needs two draws
    for (const auto* list : {&quality_, &diversity_})
        for (const auto& id : *list) KURVE_CHECKED(checkMetric(id, list == &diversity_));
    if (quality_.empty() || diversity_.empty())
        return requestError("sweep.no_metric", "a frontier needs a quality and a diversity")
            .at(quality_.empty() ? "--quality" : "--diversity")
            .fix("one-minus-self-bleu needs --seeds 2 or more; distinct-2 and entropy need one");
    for (const auto& id : quality_)
        if (!train::hasReferences(loaded_.run.config) && !needsScorer(id) && brierIdOf(id).empty())
            return requestError("metric.no_references", "a text without a source has no reference")
                .at(id)
                .fix(
                    "--quality gen_ppl --scorer RUN, one with an exact likelihood that was trained on texts; "
                    "or brier-accuracy-1 of a model that draws");
    return {};
}

Status SweepJob::loadScorer() {
    if (std::none_of(quality_.begin(), quality_.end(), frontier::isScorerQuality)) return {};
    KURVE_TRY(scorer_, metricScorer(loaded_, request_.scorer));
    KURVE_TRY(scorerReferences_, readByScorer(references_));
    return {};
}

Result<train::ScoredTexts> SweepJob::readByScorer(const std::vector<std::string>& texts) const {
    std::vector<train::ScoredPair> pairs;
    for (std::size_t i = 0; i < texts.size(); ++i)
        pairs.push_back({join(split(prompts_.texts[i], '\n'), " "), texts[i]});
    const bool states = std::find(quality_.begin(), quality_.end(), metrics::kMauve) != quality_.end();
    return answersPrompts(loaded_) ? readBehindPrompts(*scorer_, pairs, states)
                                   : scorer_->read(pairs, states);
}

Status SweepJob::score(SweepPoint& point, const std::vector<std::vector<std::string>>& draws) const {
    for (const auto& id : quality_) {
        if (frontier::isScorerQuality(id) || !brierIdOf(id).empty()) continue;
        KURVE_TRY(point.quality[id], estimateOf(id, draws, references_));
    }
    if (scorer_ != nullptr) KURVE_CHECKED(scoreByScorer(point, draws));
    for (const auto& id : diversity_) {
        if (!brierIdOf(id).empty()) continue;
        KURVE_TRY(point.diversity[id], estimateOf(id, draws, references_));
        if (id == kOneMinusSelfBleu) continue;  // there is one reference, not several draws of it
        KURVE_TRY(const metrics::Score ideal, metrics::score(id, {references_, references_}));
        point.referenceDiversity[id] = ideal.value;
    }
    return {};
}

Status SweepJob::scoreDraws(SweepPoint& point, const Planned& planned) {
    std::map<std::string, metrics::Score> scores;
    const auto add = [&](const std::vector<std::string>& wanted,
                         std::map<std::string, Estimate>& into) -> Status {
        for (const auto& metric : wanted) {
            const std::string id = brierIdOf(metric);
            if (id.empty()) continue;
            if (scores.empty()) {
                train::BrierRequest asked{.texts = targets_, .seed = seeds_.front(), .cancel = cancel_};
                asked.alive = [this] { stopRequested(); };
                KURVE_TRY(scores, train::brierScores(*loaded_.model->brierDraws(), asked, planned.sampler));
            }
            if (stopped_) return workError("sweep.stopped", "stopped");
            if (scores.empty())
                return requestError("metric.empty", "no text has a place that four tokens follow").at(metric);
            into[metric] = brierEstimate(metric, scores.at(id));
        }
        return {};
    };
    KURVE_CHECKED(add(quality_, point.quality));
    return add(diversity_, point.diversity);
}

Status SweepJob::scoreByScorer(SweepPoint& point, const std::vector<std::vector<std::string>>& draws) const {
    point.scorer = scorer_->name();
    std::map<std::string, std::vector<metrics::Score>> scores;
    for (const auto& draw : draws) {
        KURVE_TRY(const train::ScoredTexts read, readByScorer(draw));
        for (const auto& id : quality_) {
            if (!frontier::isScorerQuality(id)) continue;
            KURVE_TRY(scores[id].emplace_back(), scoreByRun(id, *scorer_, read, scorerReferences_));
        }
    }
    for (const auto& [id, all] : scores) {
        point.quality[id] = meanOf(all);
        KURVE_TRY(const metrics::Score ideal, scoreByRun(id, *scorer_, scorerReferences_, scorerReferences_));
        point.referenceQuality[id] = ideal.value;
    }
    return {};
}

}  // namespace kurve::engine
