#include "core/diffusion/step_sampler.h"

#include <torch/torch.h>

#include "core/base/check.h"

namespace kurve::diffusion {
namespace {

constexpr double kUniformShare = 0.001;

}  // namespace

StepSamplerImpl::StepSamplerImpl(const Sizes& sizes) : sizes_(sizes) {
    KURVE_CHECK(sizes.buckets > 0 && sizes.steps % sizes.buckets == 0, "{} buckets of {} steps",
                sizes.buckets, sizes.steps);
    losses = register_buffer("losses", at::zeros({sizes.buckets, sizes.history}));
    counts = register_buffer("counts", at::zeros({sizes.buckets, width()}, at::kLong));
}

at::Tensor StepSamplerImpl::probabilities() const {
    const at::Tensor moment = losses.to(at::kDouble).square().mean(1).sqrt(),
                     aware = moment * ((1 - kUniformShare) / moment.sum()) +
                             kUniformShare / static_cast<double>(sizes_.buckets),
                     uniform = at::full_like(moment, 1.0 / static_cast<double>(sizes_.buckets)),
                     bucket = at::where(counts.sum(1).ge(sizes_.history).all(), aware, uniform);
    return (bucket / static_cast<double>(width())).unsqueeze(1).expand({-1, width()}).flatten();
}

StepSamplerImpl::Drawn StepSamplerImpl::draw(const at::Tensor& u) const {
    if (u.is_meta()) return {u.to(at::kLong), u.to(at::kDouble)};  // it has no search there
    const at::Tensor p = probabilities(),
                     t = at::searchsorted(p.cumsum(0), u.to(at::kDouble), /*out_int32=*/false, /*right=*/true)
                             .clamp_max(sizes_.steps - 1);
    return {t, (p.index_select(0, t) * static_cast<double>(sizes_.steps)).reciprocal()};
}

void StepSamplerImpl::observe(const at::Tensor& t, const at::Tensor& newLosses) {
    constexpr std::int64_t kAtOnce = 512;  // of whose pairs there are masks
    const std::vector<at::Tensor> levels = t.to(losses.device()).split(kAtOnce),
                                  values = newLosses.to(losses.device()).split(kAtOnce);
    for (std::size_t i = 0; i < levels.size(); ++i) observeSome(levels[i], values[i]);
}

// A ring for each bucket. Of several losses for one bucket the later ones are what remains, as if they came
// one after another; those that nothing would remain of go to a place behind the last ring.
void StepSamplerImpl::observeSome(const at::Tensor& t, const at::Tensor& newLosses) {
    const torch::NoGradGuard noGrad;
    const at::Tensor bucket = at::floor_divide(t, width()), finite = at::isfinite(newLosses),
                     same = bucket.unsqueeze(1).eq(bucket).logical_and(finite.unsqueeze(0)),
                     earlier = same.tril(-1).sum(1), later = same.triu(1).sum(1),
                     slot = (counts.sum(1).index_select(0, bucket) + earlier).remainder(sizes_.history),
                     place = at::where(finite.logical_and(later.lt(sizes_.history)),
                                       bucket * sizes_.history + slot, losses.numel());
    const at::Tensor all = at::cat({losses.flatten(), losses.new_zeros({1})});
    all.scatter_(0, place, newLosses.to(losses.scalar_type()));
    losses.copy_(all.narrow(0, 0, losses.numel()).view(losses.sizes()));
    counts.view({-1}).index_add_(0, t, finite.to(at::kLong));
}

at::Tensor StepSamplerImpl::filled() const {
    return counts.sum(1).clamp_max(sizes_.history).sum().to(at::kDouble) / losses.numel();
}

}  // namespace kurve::diffusion
