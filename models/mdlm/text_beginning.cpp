#include "models/mdlm/text_beginning.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "models/mdlm/mdlm_model.h"

namespace kurve::models::mdlm {
namespace {

/// Draws a length of at least `shortest` from the predicted distribution.
std::int64_t drawLength(const TextGenerator& generator, const train::GenerateRequest& request,
                        std::size_t number, std::int32_t shortest) {
    const auto& source = request.sources[number];
    const auto sourceLength = static_cast<std::int32_t>(source.size());
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>(source.begin(), source.end()), at::kLong)
                               .to(generator.net.device())
                               .unsqueeze(0);
    const at::Tensor logits =
        generator.maybeLength->logits(meanSource(generator.net, ids, {&sourceLength, 1}), 1)
            .to(at::kCPU, at::kFloat)
            .contiguous();
    const std::vector<double> logP = generator.maybeLength->logProbabilities(
        {logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())}, sourceLength, shortest);
    RandomStream random(request.seed, "sample.length", request.firstRow + number);
    double left = random.uniform();
    std::size_t length = logP.size() - 1;
    for (std::size_t i = 0; i < logP.size(); ++i)
        if (left -= std::exp(logP[i]); left < 0) {
            length = i;
            break;
        }
    return std::max<std::int64_t>(static_cast<std::int64_t>(length), shortest);
}

Error tooLong(std::size_t tokens, std::int64_t longest) {
    return requestError("sample.too_long",
                        fmt::format("the text has {} tokens, the model writes at most {}", tokens, longest))
        .at("sampler.length")
        .fix("shorten the prompt");
}

text::TextTemplate knownOf(const CanvasRules& rules, const train::GenerateRequest& request,
                           std::size_t number) {
    return request.templates.empty() ? text::TextTemplate{{rules.special.bos}, true}
                                     : request.templates[number];
}

/// <s> and </s> included.
Result<std::int64_t> lengthOf(const TextGenerator& generator, const train::GenerateRequest& request,
                              std::size_t number, std::int64_t wanted) {
    const CanvasRules& rules = generator.rules;
    const text::TextTemplate known = knownOf(rules, request, number);
    const auto ids = static_cast<std::int64_t>(known.ids.size()), least = ids + (rules.fixed ? 0 : 2);
    if (!known.open && ids > rules.width) return tooLong(known.ids.size(), rules.width);
    if (!known.open) return ids;
    if (least > rules.width) return tooLong(known.ids.size(), rules.width);
    if (wanted > 0 && (wanted < least || wanted > rules.width))
        return requestError("sample.length", fmt::format("a text of {} tokens is requested", wanted))
            .at("sampler.length")
            .fix(fmt::format("choose {} to {}, or 0", least, rules.width));
    if (wanted > 0) return wanted;
    if (rules.fixed) return rules.width;
    return drawLength(generator, request, number, static_cast<std::int32_t>(least));
}

}  // namespace

Result<std::vector<MaskedText>> beginTexts(const TextGenerator& generator,
                                           const train::GenerateRequest& request, std::int64_t wanted) {
    std::vector<MaskedText> texts;
    for (std::size_t number = 0; number < request.sources.size(); ++number) {
        KURVE_TRY(const std::int64_t length, lengthOf(generator, request, number, wanted));
        const text::TextTemplate known = knownOf(generator.rules, request, number);
        const text::SpecialIds& special = generator.rules.special;
        MaskedText text;
        text.maskId = special.mask;
        text.number = number;
        text.ids = request.sources[number];
        text.first = static_cast<int>(text.ids.size());
        text.ids.insert(text.ids.end(), known.ids.begin(), known.ids.end());
        // Without an anchor, training masks <s> too, and an unconditional sample begins with nothing.
        if (!generator.rules.anchor && known.open && known.ids.size() == 1) text.ids.back() = special.mask;
        text.ids.resize(static_cast<std::size_t>(text.first + length), special.mask);
        if (known.open && !generator.rules.fixed) text.ids.back() = special.eos;
        if (generator.rules.filled && !known.open)
            text.ids.resize(static_cast<std::size_t>(generator.rules.width), special.pad);
        for (const std::int32_t id : text.ids) {
            text.given.push_back(id == special.mask ? 0 : 1);
            text.probability.push_back(1);
        }
        text.changes.resize(text.ids.size());
        text.beginStep();
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace kurve::models::mdlm
