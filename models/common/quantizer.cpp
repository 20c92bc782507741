#include "models/common/quantizer.h"

#include <torch/torch.h>

#include "core/tensor/autocast.h"
#include "models/common/padding.h"

namespace kurve::models {
namespace {

constexpr double kDecay = 0.99, kDead = 0.01;  // of the average of a batch; chosen by fewer

at::Tensor nearestCentroid(const at::Tensor& x, const at::Tensor& centroids) {
    // |x - c|^2 less |x|^2, which is the same for all c; in full, for the differences are small.
    const tensor::Autocast off(x.device(), false);
    return at::addmm(centroids.square().sum(1), x, centroids.t(), 1, -2).argmin(1);
}

}  // namespace

QuantizerImpl::QuantizerImpl(std::int64_t books, std::int64_t centroids, std::int64_t width)
    : codebooks(register_buffer("codebooks", at::zeros({books, centroids, width}))),
      counts(register_buffer("counts", at::zeros({books, centroids}))),
      sums_(register_buffer("sums", at::zeros({books, centroids, width}))),
      updates(register_buffer("updates", at::zeros({}))) {}

at::Tensor QuantizerImpl::codes(const at::Tensor& x) const {
    std::vector<at::Tensor> all;
    at::Tensor left = x;
    for (std::int64_t k = 0; k < books(); ++k) {
        all.push_back(nearestCentroid(left, codebooks[k]));
        left = left - codebooks[k].index_select(0, all.back());
    }
    return at::stack(all, 1);
}

at::Tensor QuantizerImpl::sums(const at::Tensor& codes) const {
    std::vector<at::Tensor> chosen{at::zeros({codes.size(0), codebooks.size(2)}, codebooks.options())};
    for (std::int64_t k = 0; k < books(); ++k)
        chosen.push_back(codebooks[k].index_select(0, codes.select(1, k)));
    return at::stack(chosen, 1).cumsum(1);
}

QuantizerImpl::Known QuantizerImpl::known(const at::Tensor& x, const at::Tensor& books) const {
    at::Tensor left = x;
    Known found{at::zeros_like(x), at::zeros_like(books)};
    for (std::int64_t k = 0; k < this->books(); ++k) {
        const at::Tensor chosen = nearestCentroid(left, codebooks[k]), here = books.eq(k);
        found.next = at::where(here, chosen, found.next);
        found.sum = at::where(here.unsqueeze(1), x - left, found.sum);
        left = left - codebooks[k].index_select(0, chosen);
    }
    return found;
}

std::int64_t QuantizerImpl::updatesSoFar() {
    if (knownVersion_ != updates._version()) {
        knownUpdates_ = static_cast<std::int64_t>(updates.item<float>());
        knownVersion_ = updates._version();
    }
    return knownUpdates_;
}

void QuantizerImpl::observe(const at::Tensor& x, const StreamId& stream) {
    const torch::NoGradGuard noGrad;
    const bool first = updatesSoFar() == 0;
    const std::int64_t centroids = codebooks.size(1);
    RandomStream random(stream);
    at::Tensor left = x.detach();
    for (std::int64_t k = 0; k < books(); ++k) {
        std::vector<std::int64_t> rows;
        for (std::int64_t c = 0; c < centroids; ++c)
            rows.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(x.size(0)))));
        const at::Tensor fresh =
            left.index_select(0, toDevice(std::span<const std::int64_t>(rows), x.device()));
        at::Tensor book = codebooks[k], count = counts[k], sum = sums_[k];
        if (first) {
            book.copy_(fresh);
            count.fill_(1);
            sum.copy_(fresh);
        }
        const at::Tensor chosen = nearestCentroid(left, book);
        const at::Tensor ones = at::ones({x.size(0)}, x.options());
        count.mul_(kDecay).add_(at::zeros_like(count).index_add(0, chosen, ones), 1 - kDecay);
        sum.mul_(kDecay).add_(at::zeros_like(sum).index_add(0, chosen, left), 1 - kDecay);
        const at::Tensor dead = count.lt(kDead).unsqueeze(1);
        sum.copy_(at::where(dead, fresh, sum));
        count.masked_fill_(dead.squeeze(1), 1);
        book.copy_(sum / count.unsqueeze(1));
        left = left - book.index_select(0, chosen);
    }
    updates.add_(1);
    ++knownUpdates_;
    knownVersion_ = updates._version();
}

}  // namespace kurve::models
