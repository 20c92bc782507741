#include "app/engine/sweep_job.h"

#include <algorithm>
#include <numeric>

#include "app/engine/eval_pairs.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/frontier/front.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/metric.h"
#include "core/text/reference_text.h"
#include "core/train/behind_prompts.h"
#include "core/train/brier_scores.h"
#include "core/train/evaluation.h"
#include "core/train/inference_server.h"

namespace kurve::engine {
namespace {

using frontier::Estimate;
using frontier::SweepPoint;
using nlohmann::json;

using frontier::kOneMinus;
using frontier::kOneMinusSelfBleu;

constexpr const char *kDrawnQuality = "brier-accuracy-1", *kDrawnDiversity = "one-minus-brier-collision-1",
                     *kDocumentQuality = "rouge-l";
constexpr std::size_t kProbeSentences = 32;  // fewer do not fill a batch, and every batch looks slower

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

std::map<std::string, std::string> samplerValues(const RunConfig& config) {
    std::map<std::string, std::string> values;
    for (const auto& field : config.schema().fields)
        if (field.key.rfind("sampler.", 0) == 0) values[field.key] = fieldValueText(config.value(field.key));
    return values;
}

/// Decoder rows of one sentence: steps x beams, whichever of them the family has.
double workOf(const RunConfig& config) {
    const auto positive = [&](const char* key) {
        return config.has(key) ? std::max<double>(1, static_cast<double>(config.integer(key))) : 1.0;
    };
    double steps = positive("sampler.steps");
    if (config.has("sampler.skip_last_steps"))
        steps = std::max(1.0, steps - static_cast<double>(config.integer("sampler.skip_last_steps")));
    return steps * positive("sampler.length_beam") * positive("sampler.noise_beam");
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

SweepJob::SweepJob(const CommonOptions& common, const SweepRequest& request, const LoadedModel& loaded,
                   ControlLink& link)
    : common_(common), request_(request), loaded_(loaded), link_(link), started_(steadySeconds()) {}

SweepPoint SweepJob::emptyPoint(const frontier::Settings& settings) const {
    SweepPoint point;
    point.run = loaded_.run.id;
    point.checkpoint = loaded_.weights.name();
    point.checkpointSha256 = loaded_.weights.sha256();
    point.step = loaded_.weights.step();
    point.split = request_.split;
    point.reference = referenceHash_;
    point.settings = settings;
    point.seeds = seeds_;
    point.sentences = static_cast<int>(prompts_.sources.size());
    return point;
}

Result<SweepJob::Planned> SweepJob::plan(const frontier::Settings& settings) const {
    const std::vector<Override> overrides(settings.begin(), settings.end());
    KURVE_TRY(RunConfig sampler, loaded_.sampler.with(overrides));
    std::vector<std::string> metrics = quality_;
    metrics.insert(metrics.end(), diversity_.begin(), diversity_.end());
    KURVE_TRY(const auto reranker, train::rerankerFor(loaded_.resolver.get(), sampler));
    auto values = samplerValues(sampler);
    if (reranker.maybeScorer != nullptr)  // its weights decide, not its run's name
        values["reranker"] = reranker.maybeScorer->name();
    if (scorer_ != nullptr) values["scorer"] = scorer_->name();
    const auto hash = pointHash(emptyPoint(settings), values, metrics);
    const double units = workOf(sampler);
    return Planned{settings, std::move(sampler), hash, units};
}

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

Status SweepJob::readSentences() {
    const text::Split& part = request_.split == "test" ? loaded_.data->test : loaded_.data->valid;
    if (part.size() == 0)
        return requestError("eval.no_split", "the experiment has no " + request_.split + " split")
            .at("--split");
    const auto count = std::min<std::size_t>(part.size(), static_cast<std::size_t>(request_.limit));
    KURVE_TRY(const auto texts, part.texts(0, count));
    const bool rewrites = train::rewritesTexts(loaded_.run.config), free = loaded_.data->texts && !rewrites;
    for (std::size_t i = 0; i < count; ++i) {
        targets_.push_back(part.target(i));
        if (free) {
            const text::Prompt prompt = train::samplePrompt(*loaded_.data, texts[i].target);
            KURVE_CHECKED(train::addPrompt(prompts_, loaded_.tokenizers, prompt, loaded_.sampler));
            references_.push_back(train::behindPrompt(*loaded_.data, texts[i].target));
        } else {
            prompts_.sources.push_back(rewrites ? part.target(i) : part.source(i));
            prompts_.texts.push_back(rewrites ? texts[i].target : texts[i].source);
            references_.push_back(text::referenceText(*loaded_.data->target, texts[i].target));
        }
    }
    referenceHash_ = sha256(join(prompts_.texts, "\n") + "\n\n" + join(references_, "\n"));
    return {};
}

Status SweepJob::prepare() {
    KURVE_CHECKED(chooseMetrics());
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
    KURVE_CHECKED(readSentences());
    KURVE_CHECKED(loadScorer());
    for (int k = 0; k < request_.seeds; ++k)
        seeds_.push_back(loaded_.seed(common_) + static_cast<std::uint64_t>(k));
    std::vector<frontier::Axis> axes;
    for (const auto& text : request_.grid) {
        KURVE_TRY(axes.emplace_back(), frontier::parseAxis(text));
        if (axes.back().key.rfind("sampler.", 0) != 0)
            return requestError("sweep.not_sampler", "a sweep varies how a finished model decodes")
                .at(axes.back().key)
                .fix("give sampler.* keys; kurve describe samplers lists them");
    }
    KURVE_TRY(const auto all, frontier::expand(axes));
    for (const auto& settings : all) {
        KURVE_TRY(grid_.emplace_back(), plan(settings));
    }
    return {};
}

std::optional<SweepPoint> SweepJob::knownPoint(const Planned& planned) const {
    if (common_.force) return {};
    auto point = frontier::loadPoint(frontier::pointFile(loaded_.run.folder, planned.hash));
    return point ? std::optional(std::move(*point)) : std::nullopt;
}

/// The estimate for a point of a refinement: which ones it adds is known only after the grid, but they lie
/// between the grid's.
double SweepJob::meanGridUnits() const {
    double units = 0;
    for (const auto& planned : grid_) units += planned.units;
    return units / static_cast<double>(grid_.size());
}

Result<json> SweepJob::estimate() {
    double units = 0;
    std::size_t missing = 0;
    for (const auto& planned : grid_)
        if (!knownPoint(planned)) {
            units += planned.units;
            ++missing;
        }
    train::DecodeRequest probe = prompts_;
    probe.sources.resize(std::min(kProbeSentences, probe.sources.size()));
    probe.templates.resize(std::min(kProbeSentences, probe.templates.size()));
    probe.texts.resize(probe.sources.size());
    probe.seed = seeds_.front();
    units += meanGridUnits() * request_.refine;
    double seconds = 0;
    if (units > 0) {
        KURVE_CHECKED(train::decode(loaded_.text(), probe, loaded_.sampler).map([](auto&&) {}));  // warms up
        const double before = steadySeconds();
        KURVE_CHECKED(train::decode(loaded_.text(), probe, loaded_.sampler).map([](auto&&) {}));
        const double perUnit =
            (steadySeconds() - before) / workOf(loaded_.sampler) / static_cast<double>(probe.sources.size());
        seconds = perUnit * units * static_cast<double>(prompts_.sources.size() * seeds_.size());
    }
    return json{{"run", loaded_.run.id},
                {"points", grid_.size()},
                {"refine", request_.refine},
                {"cached", grid_.size() - missing},
                {"seconds", seconds}};
}

bool SweepJob::stopRequested() {
    for (const auto& command : link_.commands(0))
        if (command.type == "stop" || command.type == "cancel") stopped_ = true;
    if (!link_.stopReason().empty()) stopped_ = true;
    if (stopped_) cancel_.request();
    return stopped_;
}

/// `open` has the units of what is still to be computed.
void SweepJob::report(std::size_t done, const std::vector<double>& open) {
    json body{{"step", done}, {"total", grid_.size() + static_cast<std::size_t>(request_.refine)}};
    if (eta_.known()) body["eta_seconds"] = eta_.secondsFor(open);
    link_.emit(train::event("progress", std::move(body)));
}

Result<SweepPoint> SweepJob::decodePoint(const Planned& planned) {
    SweepPoint point = emptyPoint(planned.settings);
    std::vector<std::vector<std::string>> draws;
    std::vector<SweepPoint::Text::Noise> noises;  // of each sentence; the same for every draw
    const double before = steadySeconds();
    for (const auto seed : seeds_) {
        train::DecodeRequest decode = prompts_;
        decode.seed = seed;
        decode.cancel = cancel_;
        decode.progress = [&](std::size_t) { stopRequested(); };
        KURVE_TRY(train::DecodedSet set, train::decode(loaded_.text(), decode, planned.sampler));
        if (set.cancelled || stopped_) return workError("sweep.stopped", "stopped");
        train::leavePromptsOut(*loaded_.data, decode, set);
        auto& outputs = draws.emplace_back();
        noises.clear();
        for (const auto& row : set.rows) {
            outputs.push_back(row.output);
            noises.push_back({row.seedOffset, row.row});
            point.cost.tokens += static_cast<std::int64_t>(splitWords(row.output).size());
        }
        point.cost.networkCalls += set.networkCalls;
    }
    point.cost.seconds = steadySeconds() - before;
    KURVE_CHECKED(score(point, draws));
    KURVE_CHECKED(scoreDraws(point, planned));
    for (std::size_t i = 0;
         i < std::min(prompts_.sources.size(), static_cast<std::size_t>(request_.keptTexts)); ++i) {
        point.texts.push_back({prompts_.texts[i], references_[i], {}, noises[i]});
        for (const auto& draw : draws) point.texts.back().outputs.push_back(draw[i]);
    }
    return point;
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

Status SweepJob::computeAll(const std::vector<Planned>& plans, int refinementsLeft) {
    std::vector<std::optional<SweepPoint>> known;
    std::vector<double> open(static_cast<std::size_t>(refinementsLeft), meanGridUnits());
    for (const auto& planned : plans) known.push_back(knownPoint(planned));
    for (std::size_t i = plans.size(); i-- > 0;)  // the next one last
        if (!known[i]) open.push_back(plans[i].units);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (known[i]) {
            points_.push_back(std::move(*known[i]));
            ++cached_;
        } else {
            open.pop_back();
            KURVE_TRY(const bool computed, computeOne(plans[i]));
            if (!computed) {
                ++left_;
                continue;
            }
        }
        link_.emit(train::event("swept", {{"point", toJson(points_.back())}}));
        report(points_.size(), open);
    }
    return {};
}

/// False after the time limit or a requested stop.
Result<bool> SweepJob::computeOne(const Planned& planned) {
    const double before = steadySeconds();
    const bool late = request_.maxSeconds > 0 && before - started_ > request_.maxSeconds;
    if (late || stopRequested()) return false;
    auto point = decodePoint(planned);
    if (!point && stopped_) return false;
    if (!point) return point.error();
    KURVE_CHECKED(frontier::savePoint(frontier::pointFile(loaded_.run.folder, planned.hash), *point));
    points_.push_back(std::move(*point));
    ++computed_;
    eta_.add(planned.units, steadySeconds() - before);
    return true;
}

Status SweepJob::compute() {
    KURVE_CHECKED(computeAll(grid_, request_.refine));
    for (int round = 0; round < request_.refine && !stopped_; ++round) {
        std::vector<Planned> finer;
        for (const auto& settings : frontier::refine(points_, quality_.front(), diversity_.front(), 1)) {
            auto planned = plan(settings);  // half way between two valid settings may itself be invalid
            if (planned) finer.push_back(std::move(*planned));
        }
        if (finer.empty()) break;
        KURVE_CHECKED(computeAll(finer, request_.refine - round - 1));
    }
    return {};
}

json SweepJob::document() const {
    json all = json::array();
    std::vector<frontier::PlanePoint> plane;
    const double direction = frontier::direction(quality_.front());
    for (const auto& point : points_) {
        all.push_back(toJson(point));
        plane.push_back(frontier::planePoint(point.diversity.at(diversity_.front()),
                                             point.quality.at(quality_.front()), direction));
    }
    return {{"run", loaded_.run.id},
            {"points", all},
            {"front", frontier::paretoFront(plane)},
            {"without_effect", frontier::settingsWithoutEffect(points_)},
            {"computed", computed_},
            {"cached", cached_},
            {"left", left_},
            {"stopped", stopped_},
            {"seconds", steadySeconds() - started_}};
}

}  // namespace kurve::engine
