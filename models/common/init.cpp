#include "models/common/init.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "core/tensor/random.h"

namespace kurve::models {

Initializer zeros() {
    return [](const at::Tensor& p, const StreamId&) { p.zero_(); };
}

Initializer ones() {
    return [](const at::Tensor& p, const StreamId&) { p.fill_(1); };
}

Initializer normal(double stddev) {
    return [stddev](const at::Tensor& p, const StreamId& s) { tensor::fillNormal(p, s, 0, stddev); };
}

Initializer xavier(double gain, std::int64_t fanIn, std::int64_t fanOut) {
    const double bound = gain * std::sqrt(6.0 / static_cast<double>(fanIn + fanOut));
    return [bound](const at::Tensor& p, const StreamId& s) { tensor::fillUniform(p, s, -bound, bound); };
}

Initializer linearDefault(std::int64_t fanIn) {
    const double bound = 1 / std::sqrt(static_cast<double>(fanIn));
    return [bound](const at::Tensor& p, const StreamId& s) { tensor::fillUniform(p, s, -bound, bound); };
}

Initializer stacked(std::int64_t firstRows, Initializer first, Initializer rest) {
    return [=](const at::Tensor& p, const StreamId& s) {
        rest(p, s);
        first(p.narrow(0, 0, firstRows), s);
    };
}

Initializer identity() {
    return [](const at::Tensor& p, const StreamId&) { p.copy_(at::eye(p.size(0), p.options())); };
}

Initializer withZeroRow(std::int64_t row, Initializer rest) {
    return [=](const at::Tensor& p, const StreamId& s) {
        rest(p, s);
        p.select(0, row).zero_();
    };
}

Initializer sinusoid(std::int64_t firstRow, double stretch) {
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

Initializer scaled(double factor, Initializer initializer) {
    return [=](const at::Tensor& p, const StreamId& s) {
        initializer(p, s);
        p.mul_(factor);
    };
}

bool endsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Initializer fairseqLayerInitializer(std::int64_t hidden, std::int64_t ffn, const std::string& name,
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
    const std::function<Initializer(const std::string& name, const at::Tensor& parameter)>& initializerOf) {
    const torch::NoGradGuard noGrad;
    for (const auto& item : module.named_parameters()) {
        const Initializer initializer = initializerOf(item.key(), item.value());
        KURVE_CHECK(static_cast<bool>(initializer), "no initializer for {}", item.key());
        initializer(item.value().detach(), StreamId(seed, "init/" + item.key(), 0));
    }
}

}  // namespace kurve::models
