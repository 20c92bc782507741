#include "app/engine/sweep_job.h"

#include <algorithm>
#include <cmath>

#include "app/engine/eval_pairs.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/frontier/front.h"
#include "core/text/reference_text.h"
#include "core/train/behind_prompts.h"
#include "core/train/evaluation.h"
#include "core/train/inference_server.h"

namespace kurve::engine {
namespace {

using frontier::SweepPoint;
using nlohmann::json;

constexpr std::size_t kProbeSentences = 32;  // fewer do not fill a batch, and every batch looks slower

/// Decoder rows of one sentence: steps x beams x draws, whichever of them the family has.
double workOf(const RunConfig& config) {
    const auto positive = [&](const char* key) {
        return config.has(key) ? std::max<double>(1, static_cast<double>(config.integer(key))) : 1.0;
    };
    double steps = positive("sampler.steps");
    if (config.has("sampler.skip_last_steps"))
        steps = std::max(1.0, steps - static_cast<double>(config.integer("sampler.skip_last_steps")));
    if (config.has("sampler.algorithm") && config.text("sampler.algorithm") == "batch")
        steps *= positive("sampler.draws");
    return steps * positive("sampler.length_beam") * positive("sampler.noise_beam");
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
    KURVE_CHECKED(checkMetrics());
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
    KURVE_TRY(auto all, frontier::expand(axes));
    const auto values = samplerValues(loaded_.sampler);
    for (auto& settings : all) {
        for (const auto& [key, given] : common_.sets)  // decoded with them, too
            if (values.contains(key)) settings.emplace(key, values.at(key));
        KURVE_TRY(grid_.emplace_back(), plan(settings));
    }
    return {};
}

std::optional<SweepPoint> SweepJob::knownPoint(const Planned& planned) const {
    if (common_.force) return {};
    auto point = frontier::loadPoint(frontier::pointFile(loaded_.run.folder, planned.hash));
    if (!point) return {};
    point->settings = planned.settings;  // in the file are those of the grid that computed it
    return std::move(*point);
}

/// The estimate for a point of a refinement: which ones it adds is known only after the grid, but they lie
/// between the grid's.
double SweepJob::meanGridUnits() const {
    double units = 0;
    for (const auto& planned : grid_) units += planned.units;
    return units / static_cast<double>(grid_.size());
}

Result<double> SweepJob::secondsOf(const Planned& planned) {
    SweepJob probe = *this;
    const std::size_t all = prompts_.sources.size(), few = std::min(kProbeSentences, all);
    const auto shorten = [few](auto&... lists) { (lists.resize(std::min(few, lists.size())), ...); };
    shorten(probe.prompts_.sources, probe.prompts_.templates, probe.prompts_.texts, probe.targets_,
            probe.references_, probe.scorerReferences_.logProbability, probe.scorerReferences_.state);
    KURVE_CHECKED(
        train::decode(loaded_.text(), probe.prompts_, planned.sampler).map([](auto&&) {}));  // warms up
    const double before = steadySeconds();
    const auto point = probe.decodePoint(planned);
    stopped_ = probe.stopped_;
    // Others than these few may have a score.
    if (!point && (few == all || point.error().code != "metric.empty")) return point.error();
    return (steadySeconds() - before) * static_cast<double>(all) / static_cast<double>(few);
}

Result<json> SweepJob::estimate() {
    const double mean = meanGridUnits();
    double units = mean * request_.refine;
    std::size_t missing = 0;
    for (const auto& planned : grid_)
        if (!knownPoint(planned)) {
            units += planned.units;
            ++missing;
        }
    double seconds = 0;
    if (units > 0) {
        // Of middling work: the part that does not grow with it is then about right for all together.
        const auto& middle = *std::ranges::min_element(
            grid_, {}, [mean](const Planned& planned) { return std::abs(planned.units - mean); });
        KURVE_TRY(seconds, secondsOf(middle));
        seconds *= units / middle.units;
    }
    return json{{"run", loaded_.run.id},
                {"points", grid_.size()},
                {"refine", request_.refine},
                {"cached", grid_.size() - missing},
                {"seconds", seconds}};
}

bool SweepJob::stopRequested() {
    if (link_.stopRequested()) stopped_ = true;
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
