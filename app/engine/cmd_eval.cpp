#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/engine/commands.h"
#include "app/engine/control_link.h"
#include "app/engine/output.h"
#include "app/engine/requested_metrics.h"
#include "app/engine/score_by_run.h"
#include "app/engine/score_files.h"
#include "app/engine/score_outputs.h"
#include "app/engine/score_references.h"
#include "app/engine/stop_signal.h"
#include "app/engine/teacher_forced_scoring.h"
#include "core/base/clock.h"
#include "core/metrics/metric.h"
#include "core/store/evaluations.h"
#include "core/train/loss_scores.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

json scoreJson(const metrics::Score& score) {
    return {{"value", jsonNumber(score.value)},
            {"ci95", {jsonNumber(score.low), jsonNumber(score.high)}},
            {"n", score.n},
            {"signature", score.signature}};
}

/// Null if no metric needs one.
Result<train::TextScorer*> scorerOf(const EvalRequest& request, const LoadedModel& loaded,
                                    const RequestedMetrics& metrics) {
    if (!metrics.mutualInformation && !metrics.coherence &&
        std::none_of(metrics.ids.begin(), metrics.ids.end(), needsScorer))
        return nullptr;
    return metricScorer(loaded, request.scorer);
}

Status evaluate(const CommonOptions& common, const EvalRequest& request, ControlLink& link, Output& out) {
    KURVE_TRY(const OpenRun run, openRun(common, request.run));
    KURVE_TRY(RequestedMetrics requested, requestedMetrics(request.metrics, run.config));
    KURVE_TRY(const LoadedModel loaded,
              loadModel(common, {request.run, request.checkpoint, !request.ownSampler, true}));
    if (request.metrics.empty()) {
        KURVE_TRY(requested, requestedMetrics(usualMetrics(loaded), run.config));
    }
    KURVE_TRY(const EvalPairs pairs, pairsOf(loaded, request));
    KURVE_TRY(const auto scorer, scorerOf(request, loaded, requested));
    const double started = steadySeconds();

    const text::Split& part = request.split == "test" ? loaded.data->test : loaded.data->valid;
    json results = json::object(), statistics = json::object();
    std::string text;
    const auto add = [&](const std::string& name, const metrics::Score& score) {
        results[name] = scoreJson(score);
        text += fmt::format("{:<18} {:8.3f}  {}n {}\n", name, score.value, intervalText(score, 3), score.n);
    };
    if (requested.perplexity) {  // first: it is an error for most families, and quick
        KURVE_TRY(const TeacherForcedScore teacherForced, teacherForcedScore(loaded, pairs.ids));
        add(metrics::kPerplexity, teacherForced.score);
    }
    if (requested.loss || !requested.parts.empty()) {
        for (const auto& [name, score] :
             train::lossScores(*loaded.model, part, {pairs.references.size(), loaded.seed(common)}))
            if (requested.loss || std::ranges::find(requested.parts, name) != requested.parts.end())
                add(name, score);
    }
    KURVE_CHECKED(addLikelihoods(common, loaded, request, requested.bounds, add));
    train::DecodedSet set;
    if (!requested.briers.empty()) {
        KURVE_TRY(const auto scores, briersOf(common, loaded, request, pairs, link));
        set.cancelled = scores.empty();
        for (const auto& id : requested.briers)
            if (!set.cancelled) add(id, scores.at(id));
    }
    const auto documentScoring = [&] {
        return DocumentScoring{loaded, *scorer, part, pairs.references.size(), loaded.seed(common), [&] {
                                   return set.cancelled = link.stopRequested();
                               }};
    };
    if (requested.mutualInformation) KURVE_CHECKED(addMutualInformation(documentScoring(), add));
    if (!set.cancelled && (requested.coherence || !requested.ids.empty())) {
        KURVE_TRY(set, decodedPairs(common, loaded, pairs, link));
    }
    if (set.cancelled) {
        out.exitCode(130);
        return {};
    }
    const EvalOutputs outputs = outputsOf(set);
    const EvalPairs compared = answersPrompts(loaded) ? behindPrompts(*loaded.data, pairs) : pairs;
    if (requested.coherence) KURVE_CHECKED(addCoherence(documentScoring(), set, pairs.references, add));
    if (std::ranges::any_of(requested.ids, needsScorer))
        KURVE_CHECKED(addScorerMetrics(*scorer, requested.ids, compared, outputs.texts, add));
    KURVE_CHECKED(addScores(loaded, requested.ids, compared, outputs, add));
    for (const auto& [name, mean] : set.sampleStatistics) {
        if (mean.count == 0) continue;
        statistics[name] = mean.sum / mean.count;
        text += fmt::format("{:<22} {:8.4f}\n", name, mean.sum / mean.count);
    }
    json document{{"run", loaded.run.id},
                  {"split", request.split},
                  {"metrics", results},
                  {"sample_statistics", statistics},
                  {"network_calls", set.networkCalls},
                  {"seconds", steadySeconds() - started}};
    document.update(loaded.weights.document());
    document["checkpoint_sha256"] = loaded.weights.sha256();
    if (scorer != nullptr) document["scorer"] = scorer->name();
    if (request.limit > 0) document["limit"] = request.limit;
    for (const auto& [key, left, right] : difference(loaded.run.config, loaded.sampler))
        document["sampler"][key] = right;
    if (common.seed && loaded.seed(common) != loaded.seed({})) document["sampler"]["seed"] = *common.seed;
    if (request.save) KURVE_CHECKED(store::saveEvaluation(loaded.run.folder, document));
    link.close();
    out.result(document, text);
    return {};
}

}  // namespace

Action setupEval(CLI::App& app) {
    auto request = std::make_shared<EvalRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--checkpoint", request->checkpoint, kWeightsHelp);
    app.add_option("--split", request->split, "valid or test")->check(CLI::IsMember({"valid", "test"}));
    app.add_option(
        "--metrics", request->metrics,
        fmt::format(
            "ids of kurve describe metrics, with commas; ppl: perplexity of the references, "
            "where the family has one; brier: all scores by draws; loss: it and its parts (default: {}; of "
            "texts {}; of documents {})",
            kPairMetrics, kTextMetrics, kDocumentMetrics));
    app.add_option(
        "--scorer", request->scorer,
        "the project's run with an exact likelihood, RUN or RUN@CHECKPOINT, that reads the outputs for "
        "gen_ppl, mauve, mi and coherence (default: sampler.scorer)");
    app.add_option("--limit", request->limit, "score the first N pairs only (default: all)")
        ->check(CLI::PositiveNumber);
    app.add_option("--brier-draws", request->brierDraws,
                   "of brier: draws of every chunk (default: 16); a transformer's terms need none")
        ->check(CLI::Range(2, 4096));
    app.add_option("--brier-every", request->brierEvery,
                   "of brier: tokens from a start to the next (default: a chunk, of a transformer 1)")
        ->check(CLI::PositiveNumber);
    app.add_flag("--brier-two-samples", request->twoSamples,
                 "of brier: two draws of every chunk, as published, instead of all pairs of --brier-draws");
    app.add_flag("--own-sampler", request->ownSampler, kOwnSamplerHelp);
    app.add_flag("--save", request->save,
                 "save the result in the run's folder, for run table, inspector and reports");
    return [request](const CommonOptions& common, Output& out) -> Status {
        if (common.events) catchStopSignals();
        ControlLink link(common, request->run);
        const auto status = evaluate(common, *request, link, out);
        if (!status && common.events) link.emit(train::errorEvent(status.error()));
        return status;
    };
}

}  // namespace kurve::engine
