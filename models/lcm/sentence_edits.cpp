#include "models/lcm/sentence_edits.h"

#include <fmt/format.h>

namespace kurve::models::lcm {

using trace::Edit;
using trace::EditKind;

Result<SentenceEdits> SentenceEdits::of(LcmParts& parts, const train::GenerateRequest& request,
                                        const RunConfig& sampler, std::size_t known) {
    SentenceEdits out;
    const auto longest = static_cast<std::size_t>(parts.concepts()->sizes().maxTokens) - 1;
    std::vector<Override> settings;  // an earlier edit's hold on
    for (const Edit& edit : request.edits) {
        if (edit.kind == EditKind::Sampler) {
            settings.insert(settings.end(), edit.settings.begin(), edit.settings.end());
            KURVE_TRY(const RunConfig changed, sampler.with(settings));
            KURVE_TRY(VectorSampler how, VectorSampler::of(parts, changed));
            out.samplers_.insert_or_assign(edit.step, std::move(how));
            continue;
        }
        if (edit.position < static_cast<int>(known))
            return requestError("branch.position", fmt::format("sentence {} is given", edit.position))
                .at("position")
                .fix(fmt::format("choose one from {} on", known));
        if (edit.kind == EditKind::Noise) {
            ++out.redrawn_[edit.step];
            continue;
        }
        if (edit.tokens.size() > longest)
            return requestError("branch.token", fmt::format("the sentence has {} tokens, the model takes {}",
                                                            edit.tokens.size(), longest))
                .at("token")
                .fix("shorten the sentence");
        out.texts_[edit.position] = {edit.step, edit.tokens};
    }
    return out;
}

const std::vector<std::int32_t>* SentenceEdits::maybeText(std::int64_t sentence, int step) const {
    const auto found = texts_.find(sentence);
    return found == texts_.end() || step < found->second.step ? nullptr : &found->second.ids;
}

std::uint64_t SentenceEdits::redrawn(int step) const {
    const auto found = redrawn_.find(step);
    return found == redrawn_.end() ? 0 : found->second;
}

const VectorSampler& SentenceEdits::samplerAt(int step, const VectorSampler& usual) const {
    const auto after = samplers_.upper_bound(step);
    return after == samplers_.begin() ? usual : std::prev(after)->second;
}

}  // namespace kurve::models::lcm
