#include "app/engine/text_judge.h"

#include "core/base/inside.h"
#include "core/metrics/perplexity.h"
#include "core/train/likelihood.h"
#include "core/train/text_server.h"

namespace kurve::engine {

Result<std::unique_ptr<TextJudge>> TextJudge::load(const CommonOptions& common,
                                                   const std::filesystem::path& project,
                                                   const std::string& run, c10::Device device) {
    CommonOptions own = common;
    own.project = project.string();
    own.sets.clear();  // they are of the run that is judged
    own.seed.reset();
    KURVE_TRY(LoadedModel loaded, loadModelOn(own, {run, "best"}, device));
    if (loaded.model->likelihood() == nullptr)
        return requestError(
                   "judge.no_likelihood",
                   fmt::format("the run {} is of the family {}, which gives a text no exact probability", run,
                               loaded.run.config.family()))
            .fix("name a run of the family transformer");
    return std::unique_ptr<TextJudge>(new TextJudge(std::move(loaded)));
}

Result<std::unique_ptr<TextJudge>> TextJudge::loadFor(const CommonOptions& common, const LoadedModel& judged,
                                                      const std::string& asked) {
    const RunConfig& sampler = judged.sampler;
    std::string run = asked;
    if (run.empty() && sampler.has("sampler.ppl_run")) {
        run = sampler.text("sampler.ppl_run");
        if (!run.empty() && !isFileName(run))
            return requestError("sample.ppl_run", "is not the id of a run")
                .at("sampler.ppl_run")
                .fix("name a run of this project, by its id, or --judge RUN");
    }
    if (run.empty())
        return requestError("metric.no_judge",
                            "generative perplexity and mauve-judge need a run that reads the outputs")
            .at("--judge")
            .fix("name a run of the family transformer: --judge RUN");
    return load(common, judged.run.project, run, judged.device);
}

Result<JudgedTexts> TextJudge::read(std::span<const train::JudgedPair> pairs, bool states) {
    const auto longest = static_cast<std::size_t>(loaded_.run.config.integer("model.max_positions"));
    train::LikelihoodRequest request;
    request.states = states;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto target = train::encodeSource(*loaded_.data.target, pairs[i].candidate);
        if (target.size() > longest) continue;
        request.sources.push_back(train::encodeSource(*loaded_.data.source, pairs[i].source));
        request.targets.push_back(std::move(target));
        asked.push_back(i);
    }
    KURVE_TRY(train::Likelihoods found, loaded_.model->likelihood()->score(request));
    JudgedTexts read{std::vector<std::vector<double>>(pairs.size()),
                     std::vector<std::vector<double>>(states ? pairs.size() : 0)};
    for (std::size_t k = 0; k < asked.size(); ++k) {
        read.logProbability[asked[k]] = std::move(found.logProbability[k]);
        if (states) read.state[asked[k]] = std::move(found.pooledState[k]);
    }
    return read;
}

std::string TextJudge::name() const {
    const auto origin = loaded_.origin();
    return fmt::format("{} {} {}", origin.run, origin.checkpoint, origin.checkpointSha256);
}

bool isJudged(const std::string& metric) {
    return metric == metrics::kGenPerplexity || metric == metrics::kMinusGenPerplexity ||
           metric == metrics::kMauveJudge;
}

namespace {

Result<metrics::Score> genPerplexity(const JudgedTexts& outputs) {
    std::vector<std::vector<double>> readable;
    for (const auto& one : outputs.logProbability)
        if (!one.empty()) readable.push_back(one);
    KURVE_TRY(metrics::Score score, metrics::perplexity(readable));
    score.parts["unread"] = static_cast<double>(outputs.logProbability.size() - readable.size());
    return score;
}

}  // namespace

Result<metrics::Score> judgedScore(const std::string& metric, const TextJudge& judge,
                                   const JudgedTexts& outputs, const JudgedTexts& references) {
    auto score = metric == metrics::kMauveJudge ? metrics::mauve(outputs.state, references.state)
                                                : genPerplexity(outputs);
    if (!score) {
        if (score.error().code != "metric.empty") return score;
        return workError("metric.empty",
                         "the judge could read none of the outputs: they are longer than it knows")
            .at(metric)
            .fix("judge with a run of a larger model.max_positions");
    }
    if (metric == metrics::kMinusGenPerplexity) {
        score->value = -score->value;
        std::swap(score->low, score->high);
        score->low = -score->low;
        score->high = -score->high;
    }
    score->signature +=
        fmt::format("|judge:{}|unread:{}", judge.name(), static_cast<int>(score->parts["unread"]));
    return score;
}

}  // namespace kurve::engine
