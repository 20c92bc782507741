#include "app/engine/eval_pairs.h"

#include "app/engine/control_link.h"
#include "app/engine/output.h"
#include "core/base/text.h"
#include "core/text/reference_text.h"
#include "core/train/behind_prompts.h"
#include "core/train/evaluation.h"

namespace kurve::engine {

Result<EvalPairs> pairsOf(const LoadedModel& loaded, const EvalRequest& request) {
    const text::Split& part = request.split == "test" ? loaded.data->test : loaded.data->valid;
    if (part.size() == 0)
        return requestError("eval.no_split", "the experiment has no " + request.split + " split")
            .at("--split");
    const auto count = request.limit > 0
                           ? std::min<std::size_t>(part.size(), static_cast<std::size_t>(request.limit))
                           : part.size();
    EvalPairs pairs;
    KURVE_TRY(const auto texts, part.texts(0, count));
    for (std::size_t i = 0; i < count; ++i) {
        pairs.ids.sources.push_back(part.source(i));
        pairs.ids.targets.push_back(part.target(i));
        pairs.sources.push_back(texts[i].source);
        pairs.references.push_back(texts[i].target);
    }
    if (!answersPrompts(loaded))
        for (auto& text : pairs.references) text = text::referenceText(*loaded.data->target, text);
    if (train::rewritesTexts(loaded.run.config)) {
        pairs.ids.sources = pairs.ids.targets;
        pairs.sources = pairs.references;
    }
    return pairs;
}

bool answersPrompts(const LoadedModel& loaded) {
    if (train::rewritesTexts(loaded.run.config)) return false;
    return loaded.data->documents || !loaded.data->promptEnd.empty();
}

EvalPairs behindPrompts(const text::Dataset& data, const EvalPairs& texts) {
    EvalPairs pairs = texts;
    pairs.behindPrompts = true;
    for (std::size_t i = 0; i < pairs.references.size(); ++i) {
        const std::string& whole = texts.references[i];
        pairs.sources[i] = join(split(train::samplePrompt(data, whole).text, '\n'), " ");
        pairs.references[i] = train::behindPrompt(data, whole);
    }
    return pairs;
}

Result<train::DecodedSet> decodedPairs(const CommonOptions& common, const LoadedModel& loaded,
                                       const EvalPairs& pairs, ControlLink& link) {
    train::DecodeRequest decode;
    decode.seed = loaded.seed(common);
    decode.collectStatistics = true;
    if (loaded.data->texts && !train::rewritesTexts(loaded.run.config)) {
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
        if (link.stopRequested()) cancel.request();
        line.show(static_cast<double>(done) / static_cast<double>(count),
                  fmt::format("decoding {} of {}", done, count));
    };
    auto set = train::decode(loaded.text(), decode, loaded.sampler);
    line.clear();
    if (!set || set->cancelled) return set;
    train::leavePromptsOut(*loaded.data, decode, *set);
    return set;
}

}  // namespace kurve::engine
