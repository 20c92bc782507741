#include "core/train/text_scorer.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/train/decode.h"
#include "core/train/likelihood.h"

namespace kurve::train {

Result<std::unique_ptr<TextScorer>> TextScorer::of(std::shared_ptr<ReferencedRun> run, c10::Device device) {
    KURVE_TRY(auto model, run->frozenModel(device));
    if (model->likelihood() == nullptr)
        return requestError("reference.unfit",
                            fmt::format("the model of the run {} has no exact likelihood", run->pin.run))
            .at(run->pin.field);
    return std::unique_ptr<TextScorer>(new TextScorer(std::move(run), std::move(model)));
}

Result<ScoredTexts> TextScorer::read(std::span<const ScoredPair> pairs, bool states) {
    const bool texts = text::isText(run_->config);
    const auto longest = static_cast<std::size_t>(texts ? shapeOf(run_->tokenizers, run_->config).maxLength
                                                        : run_->config.integer("model.max_positions"));
    LikelihoodRequest request;
    request.states = states;
    std::vector<std::size_t> readable;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto target = encodeWithSpecials(*run_->tokenizers.target, pairs[i].candidate);
        auto source = texts ? std::vector<std::int32_t>()
                            : encodeWithSpecials(*run_->tokenizers.source, pairs[i].source);
        if (std::max(source.size(), target.size()) > longest) continue;
        request.sources.push_back(std::move(source));
        request.targets.push_back(std::move(target));
        readable.push_back(i);
    }
    KURVE_TRY(Likelihoods found, model_->likelihood()->score(request));
    ScoredTexts read{std::vector<std::vector<double>>(pairs.size()),
                     std::vector<std::vector<double>>(states ? pairs.size() : 0)};
    for (std::size_t k = 0; k < readable.size(); ++k) {
        read.logProbability[readable[k]] = std::move(found.logProbability[k]);
        if (states) read.state[readable[k]] = std::move(found.pooledState[k]);
    }
    return read;
}

Result<std::vector<double>> TextScorer::score(std::span<const ScoredPair> pairs) {
    KURVE_TRY(const ScoredTexts texts, read(pairs, false));
    std::vector<double> scores;
    for (const auto& logP : texts.logProbability)
        scores.push_back(logP.empty() ? -std::numeric_limits<double>::infinity()
                                      : std::accumulate(logP.begin(), logP.end(), 0.0) /
                                            static_cast<double>(logP.size()));
    return scores;
}

}  // namespace kurve::train
