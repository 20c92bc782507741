#include "models/common/init.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "core/tensor/random.h"

namespace kurve::models {

InitialLaw zeros() {
    return [](const at::Tensor& p, const StreamId&) { p.zero_(); };
}

InitialLaw ones() {
    return [](const at::Tensor& p, const StreamId&) { p.fill_(1); };
}

InitialLaw normal(double deviation) {
    return [deviation](const at::Tensor& p, const StreamId& s) { tensor::fillNormal(p, s, 0, deviation); };
}

InitialLaw xavier(double gain, std::int64_t fanIn, std::int64_t fanOut) {
    const double bound = gain * std::sqrt(6.0 / static_cast<double>(fanIn + fanOut));
    return [bound](const at::Tensor& p, const StreamId& s) { tensor::fillUniform(p, s, -bound, bound); };
}

InitialLaw linearDefault(std::int64_t fanIn) {
    const double bound = 1 / std::sqrt(static_cast<double>(fanIn));
    return [bound](const at::Tensor& p, const StreamId& s) { tensor::fillUniform(p, s, -bound, bound); };
}

InitialLaw stacked(std::int64_t firstRows, InitialLaw first, InitialLaw rest) {
    return [=](const at::Tensor& p, const StreamId& s) {
        rest(p, s);
        first(p.narrow(0, 0, firstRows), s);
    };
}

InitialLaw identity() {
    return [](const at::Tensor& p, const StreamId&) { p.copy_(at::eye(p.size(0), p.options())); };
}

InitialLaw withZeroRow(std::int64_t row, InitialLaw law) {
    return [=](const at::Tensor& p, const StreamId& s) {
        law(p, s);
        p.select(0, row).zero_();
    };
}

InitialLaw sinusoid(std::int64_t firstRow, double stretch) {
    return [=](const at::Tensor& p, const StreamId& s) {
        tensor::fillNormal(p, s, 0, 0.02);
        const auto options = at::TensorOptions(at::kDouble);
        const std::int64_t half = p.size(1) / 2, rows = p.size(0) - firstRow;
        const at::Tensor position = at::arange(rows, options).div_(stretch).unsqueeze(1);
        const at::Tensor angle =
            position * at::exp(at::arange(half, options) * (-std::log(1e4) / static_cast<double>(half)));
        const at::Tensor table = at::cat({at::sin(angle), at::cos(angle)}, 1);
        p.narrow(0, firstRow, rows).narrow(1, 0, 2 * half).copy_(table);
    };
}

InitialLaw scaled(double factor, InitialLaw law) {
    return [=](const at::Tensor& p, const StreamId& s) {
        law(p, s);
        p.mul_(factor);
    };
}

bool endsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

InitialLaw fairseqLayerLaw(std::int64_t hidden, std::int64_t ffn, const std::string& name,
                           const at::Tensor& parameter) {
    const bool stackedOrQuery = endsWith(name, "qkv.weight") || endsWith(name, "cross.query.weight") ||
                                endsWith(name, "cross.key_value.weight");
    if (stackedOrQuery) return xavier(1 / std::sqrt(2.0), hidden, hidden);
    if (endsWith(name, "attention.out.weight") || endsWith(name, "cross.out.weight"))
        return xavier(1, hidden, hidden);
    if (endsWith(name, "attention.out.bias") || endsWith(name, "cross.out.bias")) return zeros();
    if (endsWith(name, "ffn.out.bias")) return linearDefault(ffn);
    if (endsWith(name, ".bias")) return linearDefault(hidden);
    return linearDefault(parameter.size(1));
}

void initialise(
    torch::nn::Module& module, std::uint64_t seed,
    const std::function<InitialLaw(const std::string& name, const at::Tensor& parameter)>& lawOf) {
    const torch::NoGradGuard noGrad;
    for (const auto& item : module.named_parameters()) {
        const InitialLaw law = lawOf(item.key(), item.value());
        KURVE_CHECK(static_cast<bool>(law), "no initial law for {}", item.key());
        law(item.value().detach(), StreamId(seed, "init/" + item.key(), 0));
    }
}

}  // namespace kurve::models
