#include <fmt/format.h>

#include <numeric>

#include "app/engine/commands.h"
#include "app/engine/forced_scoring.h"
#include "app/engine/output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/metrics/metric.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

struct ScoreRequest {
    std::string metric, hypotheses, tokenize, run, sources, checkpoint = "last";
    std::vector<std::string> references;
    bool perToken = false;
};

Result<Lines> readLines(const std::string& file) {
    KURVE_TRY(std::string text, readFile(file));
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (text.ends_with('\n')) text.pop_back();
    Lines lines = text.empty() ? Lines() : split(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].ends_with('\r')) lines[i].pop_back();
        if (firstInvalidUtf8(lines[i]))
            return requestError("metric.utf8", "the line is not UTF-8")
                .in(file, static_cast<int>(i) + 1)
                .fix("convert the file, for example with iconv");
    }
    return lines;
}

json documentOf(const std::string& metric, const metrics::Score& score) {
    json parts = json::object();
    for (const auto& [name, value] : score.parts) parts[name] = jsonNumber(value);
    return {{"metric", metric},
            {"value", jsonNumber(score.value)},
            {"ci95", {jsonNumber(score.low), jsonNumber(score.high)}},
            {"n", score.n},
            {"signature", score.signature},
            {"parts", parts}};
}

/// The pair as ids, each side with BOS and EOS.
Result<train::LikelihoodRequest> idsOf(const ScoreRequest& request, const LoadedModel& loaded) {
    KURVE_TRY(const Lines sources, readLines(request.sources));
    KURVE_TRY(const Lines hypotheses, readLines(request.hypotheses));
    if (sources.size() != hypotheses.size())
        return requestError("metric.counts", fmt::format("{} lines, but {} has {}", sources.size(),
                                                         request.hypotheses, hypotheses.size()))
            .in(request.sources)
            .fix("line i of every file must belong together");
    train::LikelihoodRequest pairs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        pairs.sources.push_back(train::encodeSource(*loaded.data.source, sources[i]));
        pairs.targets.push_back(train::encodeSource(*loaded.data.target, hypotheses[i]));
    }
    return pairs;
}

/// Perplexity of given pairs under a run's model, and what it says of each.
Status scorePairs(const CommonOptions& common, const ScoreRequest& request, Output& out) {
    for (const auto& [value, option] :
         {std::pair(&request.run, "--run"), std::pair(&request.sources, "--src")})
        if (value->empty())
            return requestError("score.needs_run", "perplexity is a model's: it needs a run and the sources")
                .at(option)
                .fix("kurve score ppl --run RUN --src FILE --hyp FILE");
    KURVE_TRY(const LoadedModel loaded, loadModel(common, request.run, request.checkpoint));
    KURVE_TRY(const train::LikelihoodRequest pairs, idsOf(request, loaded));
    KURVE_TRY(const ForcedScore forced, forcedScore(loaded, pairs));
    json document = documentOf(kPerplexity, forced.score);
    document["run"] = loaded.run.id;
    document.update(loaded.weights.document());
    for (std::size_t i = 0; i < pairs.targets.size(); ++i) {
        const auto& logP = forced.logProbabilities[i];
        json pair{{"log_probability", std::accumulate(logP.begin(), logP.end(), 0.0)},
                  {"tokens", logP.size()}};
        for (std::size_t n = 0; request.perToken && n < logP.size(); ++n)
            pair["by_token"].push_back({loaded.data.target->piece(pairs.targets[i][n + 1]), logP[n]});
        document["pairs"].push_back(std::move(pair));
    }
    const metrics::Score& score = forced.score;
    out.result(document, fmt::format("{} {:.4f}  [{:.4f}, {:.4f}] 95 %  n {}  {}", kPerplexity, score.value,
                                     score.low, score.high, score.n, score.signature));
    return {};
}

Status scoreFiles(const ScoreRequest& request, Output& out) {
    KURVE_TRY(const Lines hypotheses, readLines(request.hypotheses));
    std::vector<Lines> references;
    for (const std::string& file : request.references) {
        KURVE_TRY(Lines lines, readLines(file));
        if (lines.size() != hypotheses.size())
            return requestError("metric.counts", fmt::format("{} lines, but {} has {}", lines.size(),
                                                             request.hypotheses, hypotheses.size()))
                .in(file)
                .fix("line i of every file must belong together");
        references.push_back(std::move(lines));
    }
    metrics::MetricInput input{hypotheses, {}};
    if (!references.empty()) {
        input.references = references.front();
        input.moreReferences = std::span<const Lines>(references).subspan(1);
    }
    if (!request.tokenize.empty()) input.options["tokenize"] = request.tokenize;
    KURVE_TRY(const metrics::Score score, metrics::score(request.metric, input));
    out.result(documentOf(request.metric, score),
               fmt::format("{} {:.4f}  [{:.4f}, {:.4f}] 95 %  n {}  {}", request.metric, score.value,
                           score.low, score.high, score.n, score.signature));
    return {};
}

}  // namespace

Action setupScore(CLI::App& app) {
    auto request = std::make_shared<ScoreRequest>();
    app.add_option("metric", request->metric,
                   "bleu, chrf, distinct-2, … (kurve describe metrics), or ppl: perplexity under a model")
        ->required();
    app.add_option("--hyp", request->hypotheses, "outputs, one a line")->required()->type_name("FILE");
    app.add_option("--ref", request->references, "references, line by line; several are alternatives")
        ->type_name("FILE");
    app.add_option("--tokenize", request->tokenize,
                   "13a, char, none or compound (default: the metric's own)");
    app.add_option("--run", request->run,
                   "ppl: whose model scores; a run of a family with exact probabilities");
    app.add_option("--checkpoint", request->checkpoint, std::string("ppl: ") + kWeightsHelp);
    app.add_option("--src", request->sources, "ppl: the sources, line by line")->type_name("FILE");
    app.add_flag("--per-token", request->perToken, "ppl: with --json also what every piece got");
    return [request](const CommonOptions& common, Output& out) {
        return request->metric == kPerplexity ? scorePairs(common, *request, out) : scoreFiles(*request, out);
    };
}

}  // namespace kurve::engine
