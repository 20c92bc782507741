
#include "app/engine/commands.h"
#include "app/engine/control_link.h"
#include "app/engine/document_metrics.h"
#include "app/engine/output.h"
#include "app/engine/score_by_run.h"
#include "app/engine/score_files.h"
#include "app/engine/teacher_forced_scoring.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/embedding_match.h"
#include "core/metrics/future_perplexity.h"
#include "core/metrics/likelihood_bound.h"
#include "core/metrics/metric.h"
#include "core/store/evaluations.h"
#include "core/train/brier_scores.h"
#include "core/train/evaluation.h"
#include "core/train/likelihood_scores.h"
#include "core/train/loss_scores.h"
#include "core/train/multi_token_prediction.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

struct EvalRequest {
    std::string run, scorer, checkpoint = "last", split = "valid", metrics;
    std::int64_t limit = 0;
    bool save = false, ownSampler = false;
    bool twoSamples = false;  ///< of brier, as published
    std::int64_t brierDraws = 16, brierEvery = 0;
};

json scoreJson(const metrics::Score& score) {
    return {{"value", jsonNumber(score.value)},
            {"ci95", {jsonNumber(score.low), jsonNumber(score.high)}},
            {"n", score.n},
            {"signature", score.signature}};
}

constexpr const char *kPairMetrics = "bleu,chrf,reps_word,reps_bpe,token-accuracy,embedding_f1",
                     *kTextMetrics = "nelbo,bits_per_char,ppl_bound,distinct-2,entropy,reps_bpe",
                     *kExactTextMetrics = "ppl,bits_per_char,distinct-2,entropy,reps_bpe",
                     *kFutureTextMetrics = "future_ppl,future_ppl_geometric,distinct-2,entropy,reps_bpe",
                     *kDrawnTextMetrics = "brier,distinct-2,entropy,reps_bpe",
                     *kDocumentMetrics = "loss,rouge-l,rep-4,ovl-3,wr,distinct-2,reps_bpe";

struct Outputs {
    std::vector<std::string> texts;
    std::vector<std::vector<std::int32_t>> tokens;
};

/// By the model's own table (metrics::kEmbeddingF1Doc). Errors: metric.no_vectors.
Result<metrics::Score> embeddingMatch(const LoadedModel& loaded, const Outputs& outputs,
                                      const train::LikelihoodRequest& ids) {
    const at::Tensor table = loaded.model->tokenEmbeddings();
    if (!table.defined())
        return requestError("metric.no_vectors",
                            "the family " + loaded.run.config.family() + " has no token embeddings")
            .at(metrics::kEmbeddingF1);
    const at::Tensor host = table.to(at::kCPU, at::kFloat).contiguous();
    std::vector<std::vector<std::int32_t>> references;
    for (const auto& target : ids.targets) references.emplace_back(target.begin() + 1, target.end() - 1);
    return metrics::embeddingF1({outputs.tokens, references},
                                {{host.const_data_ptr<float>(), static_cast<std::size_t>(host.numel())},
                                 static_cast<std::size_t>(host.size(1))});
}

/// The first pairs of a split: as texts, and as a model takes them.
struct Pairs {
    std::vector<std::string> sources, references;
    train::LikelihoodRequest ids;
};

Result<metrics::Score> scored(const std::string& id, const Outputs& outputs,
                              const std::vector<std::string>& references,
                              const std::vector<std::string>& sources) {
    return metrics::score(id, {outputs.texts, references, {}, {}, outputs.tokens, sources});
}

/// Documents as what they answer and what is to be written: the prompt, and the sentences behind it.
Pairs behindPrompts(const text::Dataset& data, const Pairs& documents) {
    Pairs pairs = documents;
    for (std::size_t i = 0; i < pairs.references.size(); ++i) {
        const std::string prompt = train::samplePrompt(data, documents.references[i]).text;
        const std::string& whole = documents.references[i];
        pairs.sources[i] = join(split(prompt, '\n'), " ");
        pairs.references[i] = whole.size() > prompt.size() ? whole.substr(prompt.size() + 1) : std::string();
    }
    return pairs;
}

Result<Pairs> pairsOf(const LoadedModel& loaded, const EvalRequest& request) {
    const text::Split& part = request.split == "test" ? loaded.data->test : loaded.data->valid;
    if (part.size() == 0)
        return requestError("eval.no_split", "the experiment has no " + request.split + " split")
            .at("--split");
    const auto count = request.limit > 0
                           ? std::min<std::size_t>(part.size(), static_cast<std::size_t>(request.limit))
                           : part.size();
    Pairs pairs;
    KURVE_TRY(const auto texts, part.texts(0, count));
    for (std::size_t i = 0; i < count; ++i) {
        pairs.ids.sources.push_back(part.source(i));
        pairs.ids.targets.push_back(part.target(i));
        pairs.sources.push_back(texts[i].source);
        pairs.references.push_back(texts[i].target);
    }
    return pairs;
}

/// True if a command or a signal stops the job.
bool stopRequested(ControlLink& link) {
    bool stop = !link.stopReason().empty();
    for (const auto& command : link.commands(0)) stop = stop || command.type == "stop";
    return stop;
}

/// Of a document only what is written behind its prompt.
void leavePromptsOut(const train::DecodeRequest& request, train::DecodedSet& set) {
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
        train::Decoded& row = set.rows[i];
        const std::size_t known = request.templates[i].sentences.size();
        const std::span<const std::string> sentences(row.sentences);
        row.output = join(sentences.subspan(std::min(known, sentences.size())), " ");
        std::size_t tokens = 0;
        for (const auto& sentence : request.templates[i].sentences) tokens += sentence.size() - 2;
        row.ids.erase(row.ids.begin(),
                      row.ids.begin() + static_cast<std::ptrdiff_t>(std::min(tokens, row.ids.size())));
    }
}

Result<train::DecodedSet> decoded(const CommonOptions& common, const LoadedModel& loaded, const Pairs& pairs,
                                  ControlLink& link) {
    train::DecodeRequest decode;
    decode.seed = loaded.seed(common);
    decode.collectStatistics = true;
    if (loaded.data->texts) {
        for (std::size_t i = 0; i < pairs.sources.size(); ++i)
            KURVE_CHECKED(train::addPrompt(decode, loaded.tokenizers,
                                           train::samplePrompt(*loaded.data, pairs.references[i]),
                                           loaded.sampler));
    } else {
        decode.sources = pairs.ids.sources;
        decode.texts = pairs.sources;
    }
    ProgressLine line(common.quiet || common.events);
    const std::size_t count = decode.sources.size();
    CancelToken cancel = decode.cancel;
    decode.progress = [&](std::size_t done) {
        if (common.events) link.emit(train::event("progress", {{"step", done}, {"total", count}}));
        if (stopRequested(link)) cancel.request();
        line.show(static_cast<double>(done) / static_cast<double>(count),
                  fmt::format("decoding {} of {}", done, count));
    };
    auto set = train::decode(loaded.text(), decode, loaded.sampler);
    line.clear();
    if (set && !set->cancelled && loaded.data->documents) leavePromptsOut(decode, *set);
    return set;
}

Status addScorerMetrics(train::TextScorer& scorer, const std::vector<std::string>& ids, const Pairs& pairs,
                        const std::vector<std::string>& outputs, const AddScore& add) {
    std::vector<train::ScoredPair> written, ideal;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        written.push_back({pairs.sources[i], outputs[i]});
        ideal.push_back({pairs.sources[i], pairs.references[i]});
    }
    KURVE_TRY(const train::ScoredTexts read, scorer.read(written, true));
    KURVE_TRY(const train::ScoredTexts references, scorer.read(ideal, true));
    for (const auto& id : ids) {
        if (!needsScorer(id)) continue;
        KURVE_TRY(const metrics::Score score, scoreByRun(id, scorer, read, references));
        add(id, score);
    }
    return {};
}

/// The requested metrics, checked before the work.
struct RequestedMetrics {
    std::vector<std::string> ids;     ///< of the outputs
    bool perplexity = false;          ///< of the references
    bool loss = false;                ///< and all of its parts
    std::vector<std::string> parts;   ///< of the loss, by name
    std::vector<std::string> bounds;  ///< of their likelihood: bounds, and of several tokens at once
    std::vector<std::string> briers;  ///< of draws of what goes on in them
    bool mutualInformation = false;   ///< of sentences predicted in the references
    bool coherence = false;           ///< of the outputs
};
/// Null if no metric needs one.
Result<train::TextScorer*> scorerOf(const EvalRequest& request, const LoadedModel& loaded,
                                    const RequestedMetrics& metrics) {
    if (!metrics.mutualInformation && !metrics.coherence &&
        std::none_of(metrics.ids.begin(), metrics.ids.end(), needsScorer))
        return nullptr;
    return metricScorer(loaded, request.scorer);
}

/// Null for a model's metric.
const metrics::MetricKind* textMetric(const std::string& id) {
    const auto kinds = metrics::metricKinds();
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.id == id; });
    return found != kinds.end() ? &*found : nullptr;
}

/// A metric of several samples would take the references for a second one.
Status checkInputs(const std::string& id, bool texts) {
    const metrics::MetricKind* kind = textMetric(id);
    if (kind != nullptr && kind->comparesDraws)
        return requestError("metric.needs_samples",
                            id + " compares samples of the same source, and eval makes one of each")
            .at(id)
            .fix("kurve score " + id + " --hyp SAMPLE-1 --ref SAMPLE-2");
    if (texts && (id == metrics::kEmbeddingF1 || (kind != nullptr && kind->needsReferences)))
        return requestError("metric.no_references", "a text without a source has no reference").at(id);
    if (texts && kind != nullptr && kind->needsSources)
        return requestError("metric.no_sources", id + " compares an output with its source").at(id);
    return {};
}

/// Also what the family logs of the validation split, as parts of the loss.
Result<RequestedMetrics> requestedMetrics(const std::string& ids, const RunConfig& config) {
    const bool texts = text::isText(config);
    RequestedMetrics requested;
    for (const auto& id : split(ids, ','))
        if (!id.empty()) requested.ids.push_back(id);
    requested.perplexity = std::erase(requested.ids, metrics::kPerplexity) > 0;
    requested.loss = std::erase(requested.ids, train::kLoss) > 0;
    for (const char* id : {metrics::kNelbo, metrics::kBitsPerCharacter, metrics::kPerplexityBound})
        if (std::erase(requested.ids, id) > 0) requested.bounds.emplace_back(id);
    for (const std::string& id : requested.ids)
        if (metrics::isFuturePerplexity(id)) requested.bounds.push_back(id);
    std::erase_if(requested.ids, metrics::isFuturePerplexity);
    requested.mutualInformation = std::erase(requested.ids, metrics::kMutualInformation) > 0;
    requested.coherence = std::erase(requested.ids, metrics::kCoherence) > 0;
    const bool allBriers = std::erase(requested.ids, metrics::kBrier) > 0;
    for (const std::string& id : metrics::brierIds())
        if (std::erase(requested.ids, id) > 0 || allBriers) requested.briers.push_back(id);
    for (const ScalarSpec& scalar : config.schema().scalars)
        if (constexpr std::string_view kValid = "valid_"; scalar.id.starts_with(kValid))
            if (const std::string id = scalar.id.substr(kValid.size()); std::erase(requested.ids, id) > 0)
                requested.parts.push_back(id);
    const auto has = [&](const char* id) {
        return std::find(requested.ids.begin(), requested.ids.end(), id) != requested.ids.end();
    };
    // Low entropy reveals a misleadingly low gen_ppl: the two are reported together.
    if (has(metrics::kGenPerplexity) && !has("entropy")) requested.ids.emplace_back("entropy");
    for (const auto& id : requested.ids) {
        KURVE_CHECKED(checkInputs(id, texts));
        if (id == metrics::kEmbeddingF1 || needsScorer(id)) continue;
        if (const auto known = scored(id, {{"a b c d e"}, {{5}}}, {"a b c d e"}, {"a b c d e"}); !known)
            return known.error();
    }
    return requested;
}

/// The metrics that need no scorer.
Status addScores(const LoadedModel& loaded, const std::vector<std::string>& ids, const Pairs& pairs,
                 const Outputs& outputs, const AddScore& add) {
    const bool isText = text::isText(loaded.run.config);
    for (const auto& id : ids) {
        if (needsScorer(id)) continue;
        const std::vector<std::string> none;
        KURVE_TRY(const metrics::Score score,
                  id == metrics::kEmbeddingF1
                      ? embeddingMatch(loaded, outputs, pairs.ids)
                      : scored(id, outputs, isText ? none : pairs.references, pairs.sources));
        add(id, score);
        if (id != "bleu" || !loaded.data->sameLanguage) continue;
        KURVE_TRY(const metrics::Score copy,
                  scored(id, {pairs.sources, {}}, pairs.references, pairs.sources));
        add("copy_bleu", copy);
    }
    return {};
}

Outputs outputsOf(const train::DecodedSet& set) {
    Outputs outputs;
    for (const auto& row : set.rows) {
        outputs.texts.push_back(row.output);
        outputs.tokens.push_back(row.ids);
    }
    return outputs;
}

Error noSuchLikelihood(const LoadedModel& loaded, const std::string& id) {
    train::MultiTokenPrediction* const several = loaded.model->multiTokenPrediction();
    const std::string& family = loaded.run.config.family();
    if (!metrics::isFuturePerplexity(id))
        return requestError("score.no_bound",
                            fmt::format("the family {} has no bound of its likelihood", family))
            .at(id)
            .fix(several != nullptr ? "ask for future_ppl, or for future_ppl_1: the next token's is exact"
                 : loaded.model->brierDraws() != nullptr && loaded.model->likelihood() == nullptr
                     ? "ask for brier: it needs no likelihood"
                     : "ask for ppl and, of texts, bits_per_char where its likelihood is exact");
    if (several == nullptr)
        return requestError("score.no_future",
                            fmt::format("the family {} does not predict several tokens at once", family))
            .at(id)
            .fix("kurve describe metrics");
    return requestError("score.no_future",
                        fmt::format("the run predicts {} tokens at once, and the texts have to have them",
                                    several->tokensPerState()))
        .at(id)
        .fix(fmt::format("ask for a position from {} to {}", metrics::futurePerplexityAt(1),
                         metrics::futurePerplexityAt(static_cast<std::size_t>(several->tokensPerState()))));
}

/// The likelihood, or its bound, of the same examples.
Status addLikelihoods(const CommonOptions& common, const LoadedModel& loaded, const EvalRequest& request,
                      const std::vector<std::string>& ids, const AddScore& add) {
    if (ids.empty()) return {};
    const text::Split& part = request.split == "test" ? loaded.data->test : loaded.data->valid;
    const std::size_t count = request.limit > 0 ? static_cast<std::size_t>(request.limit) : part.size();
    KURVE_TRY(auto texts, part.texts(0, count));
    const train::ScoredExamples which{std::move(texts), 4, loaded.seed(common)};
    KURVE_TRY(const auto scores, train::likelihoodScores(*loaded.model, part, which));
    for (const auto& id : ids) {
        if (!scores.contains(id)) return noSuchLikelihood(loaded, id);
        add(id, scores.at(id));
    }
    return {};
}

/// Scores by draws of what goes on in the same texts; empty if stopped. Errors: score.*, metric.empty.
Result<std::map<std::string, metrics::Score>> briersOf(const CommonOptions& common, const LoadedModel& loaded,
                                                       const EvalRequest& request, const Pairs& pairs,
                                                       ControlLink& link) {
    train::BrierDraws* const draws = loaded.model->brierDraws();
    if (draws == nullptr)
        return requestError("score.no_draws",
                            fmt::format("this run of {} does not draw texts from left to right",
                                        loaded.run.config.family()))
            .at(metrics::kBrier)
            .fix("ask for brier of a run of calm, or of a transformer of texts");
    train::BrierRequest asked;
    asked.texts = pairs.ids.targets;
    asked.draws = request.brierDraws;
    asked.every = request.brierEvery;
    if (request.twoSamples) asked.estimator = metrics::PairEstimator::TwoSamples;
    asked.seed = loaded.seed(common);
    CancelToken cancel = asked.cancel;
    asked.alive = [&] {
        if (stopRequested(link)) cancel.request();
    };
    KURVE_TRY(auto scores, train::brierScores(*draws, asked, loaded.sampler));
    if (scores.empty() && !cancel.requested())
        return requestError("metric.empty", "no text has a place that four tokens follow")
            .at(metrics::kBrier);
    return scores;
}

/// --metrics where it is not given: of outputs that have references, of texts by their likelihood.
std::string usualMetrics(const LoadedModel& loaded) {
    if (!loaded.data->texts) return kPairMetrics;
    if (loaded.data->documents) return kDocumentMetrics;
    // An autoencoder writes nothing of its own.
    if (!train::checkPromptKind(loaded.run.config, text::PromptKind::Nothing)) return train::kLoss;
    if (train::MultiTokenPrediction* const several = loaded.model->multiTokenPrediction()) {
        std::string ids = kFutureTextMetrics;
        for (std::int64_t j = several->tokensPerState(); j > 0; --j)
            ids = metrics::futurePerplexityAt(static_cast<std::size_t>(j)) + "," + ids;
        return ids;
    }
    if (loaded.model->likelihood() != nullptr) return kExactTextMetrics;
    return loaded.model->brierDraws() != nullptr ? kDrawnTextMetrics : kTextMetrics;
}

Status evaluate(const CommonOptions& common, const EvalRequest& request, ControlLink& link, Output& out) {
    KURVE_TRY(const OpenRun run, openRun(common, request.run));
    KURVE_TRY(RequestedMetrics requested, requestedMetrics(request.metrics, run.config));
    KURVE_TRY(const LoadedModel loaded,
              loadModel(common, {request.run, request.checkpoint, !request.ownSampler, true}));
    if (request.metrics.empty()) {
        KURVE_TRY(requested, requestedMetrics(usualMetrics(loaded), run.config));
    }
    KURVE_TRY(const Pairs pairs, pairsOf(loaded, request));
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
                                   return set.cancelled = stopRequested(link);
                               }};
    };
    if (requested.mutualInformation) KURVE_CHECKED(addMutualInformation(documentScoring(), add));
    if (!set.cancelled && (requested.coherence || !requested.ids.empty())) {
        KURVE_TRY(set, decoded(common, loaded, pairs, link));
    }
    if (set.cancelled) {
        out.exitCode(130);
        return {};
    }
    const Outputs outputs = outputsOf(set);
    const Pairs compared = loaded.data->documents ? behindPrompts(*loaded.data, pairs) : pairs;
    if (requested.coherence) KURVE_CHECKED(addCoherence(documentScoring(), set, pairs.references, add));
    if (scorer != nullptr)
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
    if (scorer != nullptr) document["scorer"] = scorer->name();
    if (request.limit > 0) document["limit"] = request.limit;
    for (const auto& [key, left, right] : difference(loaded.run.config, loaded.sampler))
        document["sampler"][key] = right;
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
