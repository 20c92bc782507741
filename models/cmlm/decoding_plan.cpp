#include "models/cmlm/decoding_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/train/reranker.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/common/decoding.h"

namespace kurve::models::cmlm {

// Activations of few rows stay in a core's cache and need little padding; a GPU wants many.
std::int64_t rowsAtOnce(const RunConfig& sampler, bool onCpu) {
    constexpr std::int64_t kCpuRows = 32;
    const std::int64_t rows = sampler.integer("sampler.batch_size");
    return onCpu ? std::min(rows, kCpuRows) : rows;
}

Result<DecodingPlan> planOf(const NetLimits& net, const train::GenerateRequest& request,
                            const RunConfig& sampler) {
    DecodingPlan plan;
    plan.passes.passes = static_cast<int>(sampler.integer("sampler.steps"));
    plan.reranked = sampler.text("sampler.selection") == train::kPplSelection;
    plan.passes.rule = ruleOf(sampler, "sampler.rule");
    const std::string& overwrite = sampler.text("sampler.overwrite");
    plan.passes.overwrite = overwrite == "all" || (overwrite == "auto" && corrects(sampler));
    plan.limits = {sampler.integer("sampler.shortest"), net.maxPositions};
    plan.beam = sampler.integer("sampler.length_beam");
    plan.likeliest = sampler.text("sampler.length_beam_kind") == "topk";
    plan.banSpecials = sampler.flag("sampler.ban_specials");
    plan.stopUnchanged = sampler.text("sampler.stop") == "unchanged";
    plan.mask = maskId(sampler, net.special);
    const ContrastiveForm contrast = contrastiveOf(sampler);
    plan.aboveMargin = contrast.paper ? contrast.margin : 1 - contrast.margin;
    plan.rowsAtOnce = rowsAtOnce(sampler, net.onCpu);
    KURVE_CHECKED(checkLengthBeam(sampler));
    KURVE_CHECKED(checkSources(request, net.maxPositions));
    if (request.candidate && (*request.candidate < 0 || *request.candidate >= plan.beam))
        return requestError("branch.candidate",
                            fmt::format("no candidate {} of {}", *request.candidate, plan.beam))
            .at("candidate")
            .fix("record the trace again");
    return plan;
}

std::vector<std::int32_t> candidateLengths(const DecodingPlan& plan, std::int64_t lengthOffset,
                                           std::span<const float> scores) {
    if (plan.likeliest) return sampling::likeliestLengths(scores, lengthOffset, plan.beam, plan.limits);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    return sampling::windowLengths(std::max<std::int64_t>(2, best + lengthOffset), plan.beam, plan.limits);
}

}  // namespace kurve::models::cmlm
