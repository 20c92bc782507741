#include "models/mdlm/token_draw.h"

#include <torch/torch.h>

#include "core/tensor/random.h"

namespace kurve::models::mdlm {
namespace {

/// 48 bits: two float32 uniforms have 24 each.
double uniformDouble(const StreamId& stream, const DrawAddress& at) {
    constexpr double kLow = 1.0 / (1 << 24);
    return static_cast<double>(tensor::uniformAt(stream, at.row, 2 * at.element)) +
           kLow * static_cast<double>(tensor::uniformAt(stream, at.row, 2 * at.element + 1));
}

at::Tensor inverseCdf(const at::Tensor& p, const StreamId& stream,
                      const std::vector<DrawAddress>& addresses) {
    std::vector<double> uniform;
    for (const DrawAddress& at : addresses) uniform.push_back(uniformDouble(stream, at));
    const at::Tensor cumulative = p.cumsum(1), total = cumulative.select(1, p.size(1) - 1),
                     u = at::tensor(uniform, at::kDouble).to(p.device()) * total;
    return at::searchsorted(cumulative, u.unsqueeze(1), false, /*right=*/true)
        .squeeze(1)
        .clamp_max(p.size(1) - 1);
}

at::Tensor truncatedGumbel(const at::Tensor& p, const StreamId& stream,
                           const std::vector<DrawAddress>& addresses) {
    std::vector<at::Tensor> rows;
    for (const DrawAddress& at : addresses)
        rows.push_back(tensor::uniformRows({1, p.size(1)}, {stream.at(at.element), at.row}, p.device()));
    const at::Tensor uniform = at::cat(rows);
    return (p.to(at::kFloat) / (1e-10 - (uniform + 1e-10).log())).argmax(1);
}

/// The least probable tokens whose cumulative probability is beyond top_p lose theirs.
at::Tensor withoutTail(const at::Tensor& p, double topP) {
    const auto [sorted, order] = p.sort(1, /*descending=*/true);
    const at::Tensor before = sorted.cumsum(1) - sorted;
    const at::Tensor kept = at::zeros_like(p).scatter_(1, order, sorted.masked_fill(before >= topP, 0));
    return kept / kept.sum(1, true);
}

}  // namespace

at::Tensor tokenDistribution(at::Tensor logits, const SamplerSettings& settings) {
    if (settings.temperature > 0) logits = logits / settings.temperature;
    at::Tensor p = at::softmax(logits, 1, at::kDouble);
    if (settings.topP < 1) p = withoutTail(p, settings.topP);
    return p;
}

std::vector<DrawnToken> drawTokens(const at::Tensor& p, const SamplerSettings& settings,
                                   const StreamId& stream, const std::vector<DrawAddress>& addresses) {
    const auto [top, topIds] = p.topk(2, 1);
    const at::Tensor chosen = settings.temperature == 0 ? topIds.select(1, 0)
                              : settings.float32        ? truncatedGumbel(p, stream, addresses)
                                                        : inverseCdf(p, stream, addresses);
    const at::Tensor entropy = -(at::xlogy(p, p)).sum(1);
    const at::Tensor all = at::stack({chosen.to(at::kDouble), p.gather(1, chosen.unsqueeze(1)).squeeze(1),
                                      top.select(1, 0), top.select(1, 1), entropy},
                                     1)
                               .to(at::kCPU)
                               .contiguous();
    std::vector<DrawnToken> out;
    const auto* values = all.const_data_ptr<double>();
    for (std::int64_t i = 0; i < p.size(0); ++i, values += 5)
        out.push_back({static_cast<std::int32_t>(values[0]),
                       static_cast<float>(values[1]),
                       {static_cast<float>(values[2]), static_cast<float>(values[2] - values[3]),
                        static_cast<float>(values[4])}});
    return out;
}

}  // namespace kurve::models::mdlm
