#pragma once

#include "core/train/model_family.h"
#include "models/calm_autoencoder/autoencoder_net.h"

namespace kurve::models::calm_autoencoder {

/// Encodes and decodes the sources of a request (sampler.latent, sampler.noise). A trace of it has one step.
Result<train::Generation> reconstruct(AutoencoderNetImpl& net, const train::GenerateRequest& request,
                                      const RunConfig& sampler, trace::TraceSink* maybeTrace);

}  // namespace kurve::models::calm_autoencoder
