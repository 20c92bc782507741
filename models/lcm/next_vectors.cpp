#include "models/lcm/next_vectors.h"

#include <torch/torch.h>

#include <limits>

#include "models/lcm/lcm_fields.h"

namespace kurve::models::lcm {

Result<VectorSampler> VectorSampler::of(LcmParts& parts, const RunConfig& sampler) {
    VectorSampler out;
    out.parts_ = &parts;
    KURVE_TRY(out.denoising_, denoisingOf(sampler, parts.alphaBars, parts.target));
    out.temperature_ = sampler.real("sampler.temperature");
    out.topK_ = std::min(sampler.integer("sampler.top_k"), parts.net->sizes().centroids);
    out.topP_ = sampler.real("sampler.top_p");
    return out;
}

std::size_t VectorSampler::steps() const {
    const LcmSizes& sizes = parts_->net->sizes();
    return sizes.kind == LcmKind::Base ? 1
           : isQuant(sizes.kind)       ? static_cast<std::size_t>(sizes.books)
                                       : denoising_.steps.size();
}

std::pair<double, double> VectorSampler::timeOf(std::size_t step) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const LcmSizes& sizes = parts_->net->sizes();
    if (sizes.kind == LcmKind::Base || isQuant(sizes.kind))
        return {1 - static_cast<double>(step) / static_cast<double>(steps()), kNone};
    const DenoisingStep& one = denoising_.steps[step];
    return {static_cast<double>(one.index + 1) / static_cast<double>(sizes.steps), one.from.logSnr()};
}

at::Tensor VectorSampler::next(const NextVectorHooks& hooks) const {
    const LcmKind kind = parts_->net->sizes().kind;
    if (isQuant(kind)) return centroids(hooks);
    if (kind == LcmKind::Base) {
        at::Tensor vectors = hooks.predict({}, 0, true);
        if (hooks.done) hooks.done(0, vectors, vectors);
        return vectors;
    }
    return denoise(hooks.normals(0), denoising_,
                   {.predict = hooks.predict,
                    .noise = [&](std::size_t step) { return hooks.normals(step + 1); },
                    .done = hooks.done,
                    .predictBoth = hooks.predictBoth,
                    .begin = hooks.begin});
}

at::Tensor VectorSampler::drawn(const at::Tensor& logits, const at::Tensor& uniform) const {
    const auto [values, indices] = logits.topk(topK_, -1);
    if (topK_ == 1 || temperature_ == 0) return indices.select(-1, 0);
    at::Tensor p = at::softmax(values / temperature_, -1);
    // The fewest that reach topP together: those before whose sum falls short of it.
    p = p * (p.cumsum(-1) - p).lt(topP_);
    const at::Tensor below = p.cumsum(-1).lt(uniform.unsqueeze(-1) * p.sum(-1, true));
    return indices.gather(-1, below.sum(-1, true)).squeeze(-1);
}

at::Tensor VectorSampler::centroids(const NextVectorHooks& hooks) const {
    const LcmSizes& sizes = parts_->net->sizes();
    at::Tensor sum = at::zeros_like(hooks.normals(0));
    for (std::int64_t k = 1; k <= sizes.books; ++k) {
        const at::Tensor book = parts_->quantizer->codebooks[k - 1];
        at::Tensor found = hooks.predict(sum, k, true);
        if (denoising_.guidance != 1)
            found = diffusion::guided(found, hooks.predict(sum, k, false), denoising_.guidance);
        const at::Tensor logits = sizes.kind == LcmKind::QuantD ? found : -at::cdist(found - sum, book);
        sum = sum + book.index_select(0, drawn(logits, hooks.uniforms(static_cast<std::uint64_t>(k))));
        if (hooks.done) hooks.done(static_cast<std::size_t>(k - 1), sum, sum);
    }
    return sum;
}

Result<at::Tensor> teacherForcedVectors(LcmParts& parts, const RunConfig& sampler, const Documents& documents,
                                        const train::StepRandom& random) {
    const at::Tensor& clean = documents.vectors;
    if (parts.net->sizes().kind == LcmKind::Base)
        return clean.size(1) < 2 ? at::zeros_like(clean)
                                 : at::constant_pad_nd(parts.net->predict(clean, {}), {0, 0, 1, 0});
    KURVE_TRY(const VectorSampler how, VectorSampler::of(parts, sampler));
    const std::int64_t rows = documents.places.size(0);
    const auto shaped = [&](const at::Tensor& values) { return documents.spread(values); };
    NextVectorHooks hooks;
    hooks.predict = [&](const at::Tensor& noisy, std::int64_t step, bool withContext) {
        const at::Tensor steps =
            at::full({clean.size(0), clean.size(1)}, step, clean.options().dtype(at::kLong));
        return documents.rowsOf(parts.net->predict(
            clean, {shaped(noisy), steps, withContext ? at::Tensor() : at::ones_like(steps, at::kBool)}));
    };
    hooks.normals = [&](std::uint64_t draw) {
        return tensor::normalRows({rows, clean.size(2)},
                                  {random.stream("lcm.start").at(random.step << 16 | draw), random.row},
                                  clean.device());
    };
    hooks.uniforms = [&](std::uint64_t draw) {
        return tensor::uniformRows({rows, 1},
                                   {random.stream("lcm.centroid").at(random.step << 16 | draw), random.row},
                                   clean.device())
            .squeeze(1);
    };
    return shaped(how.next(hooks));
}

}  // namespace kurve::models::lcm
