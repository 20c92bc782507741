#include "app/engine/commands.h"
#include "app/engine/score_pairs.h"
#include "core/metrics/perplexity.h"

namespace kurve::engine {

Action setupScore(CLI::App& app) {
    auto request = std::make_shared<ScoreRequest>();
    app.add_option("metric", request->metric,
                   "bleu, chrf, distinct-2, … (kurve describe metrics), or ppl: perplexity under a model")
        ->required();
    app.add_option("--hyp", request->hypotheses, "outputs, one a line")->required()->type_name("FILE");
    const std::vector<const CLI::Option*> ofTexts{
        app.add_option("--ref", request->references, "references, line by line; several are alternatives")
            ->type_name("FILE"),
        app.add_option("--tokenize", request->tokenize,
                       "13a, char, none or compound (default: the metric's own)")};
    const std::vector<const CLI::Option*> ofPerplexity{
        app.add_option("--run", request->run, "ppl: the run that scores, of a family with exact likelihoods"),
        app.add_option("--checkpoint", request->checkpoint, std::string("ppl: ") + kWeightsHelp),
        app.add_option("--src", request->sources, "ppl: the sources, line by line")->type_name("FILE"),
        app.add_flag("--per-token", request->perToken,
                     "ppl: with --json also the log-probability of every token")};
    return [=](const CommonOptions& common, Output& out) -> Status {
        const bool isPerplexity = request->metric == metrics::kPerplexity;
        for (const CLI::Option* option : isPerplexity ? ofTexts : ofPerplexity)
            if (option->count() > 0)
                return requestError("cli.usage", request->metric + " does not use it")
                    .at(option->get_name())
                    .fix(isPerplexity ? "leave it out" : "leave it out, or score ppl");
        return isPerplexity ? scorePairs(common, *request, out) : scoreFiles(*request, out);
    };
}

}  // namespace kurve::engine
