#pragma once

#include "core/diffusion/absorbing_process.h"
#include "models/mdlm/canvas.h"
#include "models/mdlm/length_predictor.h"
#include "models/mdlm/mdlm_net.h"

namespace kurve::models::mdlm {

/// What generates a text; refers to things that outlive it.
struct TextGenerator {
    MdlmNetImpl& net;
    LengthPredictorImpl* maybeLength = nullptr;
    const CanvasRules& rules;
    const diffusion::AbsorbingProcess& process;
};

/// A text's random numbers depend on the seed, its number in the request, its positions and the steps only.
/// Errors: sample.too_long, sample.length, sampler.remasking, branch.candidate, branch.position.
Result<train::Generation> generateWith(const TextGenerator& generator, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::TraceSink* maybeTrace);
/// The work of a step on (some of) these texts, all masked.
void dryRun(MdlmNetImpl& net, const Canvas& longest, const RunConfig& sampler, c10::Device device);

}  // namespace kurve::models::mdlm
