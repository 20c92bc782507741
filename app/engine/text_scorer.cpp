#include "app/engine/text_scorer.h"

#include "core/base/inside.h"
#include "core/frontier/sweep_point.h"
#include "core/metrics/perplexity.h"
#include "core/train/inference_server.h"
#include "core/train/likelihood.h"

namespace kurve::engine {

Result<std::unique_ptr<TextScorer>> TextScorer::load(const CommonOptions& common,
                                                     const std::filesystem::path& project,
                                                     const std::string& run, c10::Device device) {
    CommonOptions own = common;
    own.project = project.string();
    own.sets.clear();  // they are of the run that is scored
    own.seed.reset();
    KURVE_TRY(LoadedModel loaded, loadModelOn(own, {run, "best"}, device));
    if (loaded.model->likelihood() == nullptr)
        return requestError("scorer.no_likelihood",
                            fmt::format("the run {} is of the family {}, which has no exact likelihood", run,
                                        loaded.run.config.family()))
            .fix("name a run of the family transformer");
    return std::unique_ptr<TextScorer>(new TextScorer(std::move(loaded)));
}

Result<std::unique_ptr<TextScorer>> TextScorer::loadFor(const CommonOptions& common,
                                                        const LoadedModel& scored,
                                                        const std::string& requested) {
    const RunConfig& sampler = scored.sampler;
    std::string run = requested;
    if (run.empty() && sampler.has("sampler.scorer")) {
        run = sampler.text("sampler.scorer");
        if (!run.empty() && !isFileName(run))
            return requestError("sample.scorer", "not the id of a run")
                .at("sampler.scorer")
                .fix("name a run of this project, by its id, or --scorer RUN");
    }
    if (run.empty())
        return requestError("metric.no_scorer", "gen_ppl and mauve need a scorer")
            .at("--scorer")
            .fix("name a run of the family transformer: --scorer RUN");
    KURVE_TRY(auto scorer, load(common, scored.run.project, run, scored.device));
    if (text::isText(scored.run.config) && !text::isText(scorer->loaded_.run.config))
        return requestError("scorer.no_source", fmt::format("the run {} reads a text with its source", run))
            .at("--scorer")
            .fix("name a run that was trained on texts: data.kind = \"text\"");
    return scorer;
}

Result<ScoredTexts> TextScorer::read(std::span<const train::ScoredPair> pairs, bool states) {
    const bool texts = text::isText(loaded_.run.config);
    const auto longest =
        static_cast<std::size_t>(texts ? train::shapeOf(loaded_.tokenizers, loaded_.run.config).maxLength
                                       : loaded_.run.config.integer("model.max_positions"));
    train::LikelihoodRequest request;
    request.states = states;
    std::vector<std::size_t> readable;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto target = train::encodeWithSpecials(*loaded_.tokenizers.target, pairs[i].candidate);
        if (target.size() > longest) continue;
        request.sources.push_back(
            texts ? std::vector<std::int32_t>()
                  : train::encodeWithSpecials(*loaded_.tokenizers.source, pairs[i].source));
        request.targets.push_back(std::move(target));
        readable.push_back(i);
    }
    KURVE_TRY(train::Likelihoods found, loaded_.model->likelihood()->score(request));
    ScoredTexts read{std::vector<std::vector<double>>(pairs.size()),
                     std::vector<std::vector<double>>(states ? pairs.size() : 0)};
    for (std::size_t k = 0; k < readable.size(); ++k) {
        read.logProbability[readable[k]] = std::move(found.logProbability[k]);
        if (states) read.state[readable[k]] = std::move(found.pooledState[k]);
    }
    return read;
}

std::string TextScorer::name() const {
    const auto origin = loaded_.origin();
    return fmt::format("{} {} {}", origin.run, origin.checkpoint, origin.checkpointSha256);
}

bool needsScorer(const std::string& metric) {
    return frontier::isScorerQuality(metric);
}

namespace {

Result<metrics::Score> genPerplexity(const ScoredTexts& outputs) {
    std::vector<std::vector<double>> readable;
    for (const auto& one : outputs.logProbability)
        if (!one.empty()) readable.push_back(one);
    KURVE_TRY(metrics::Score score, metrics::perplexity(readable));
    score.parts["unread"] = static_cast<double>(outputs.logProbability.size() - readable.size());
    return score;
}

}  // namespace

Result<metrics::Score> scoreByRun(const std::string& metric, const TextScorer& scorer,
                                  const ScoredTexts& outputs, const ScoredTexts& references) {
    auto score =
        metric == metrics::kMauve ? metrics::mauve(outputs.state, references.state) : genPerplexity(outputs);
    if (!score) {
        if (score.error().code != "metric.empty") return score;
        return workError("metric.empty", "all outputs are longer than the scorer's model.max_positions")
            .at(metric)
            .fix("choose a scorer with a larger model.max_positions");
    }
    score->signature +=
        fmt::format("|scorer:{}|unread:{}", scorer.name(), static_cast<int>(score->parts["unread"]));
    return score;
}

}  // namespace kurve::engine
