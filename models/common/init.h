#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <string>
#include <string_view>

#include "core/base/random_stream.h"

namespace kurve::models {

/// How one parameter starts. Built by the functions below.
using InitialLaw = std::function<void(const at::Tensor& parameter, const StreamId& stream)>;

[[nodiscard]] InitialLaw zeros();
[[nodiscard]] InitialLaw ones();
[[nodiscard]] InitialLaw normal(double deviation);
/// Uniform on +-gain sqrt(6 / (fanIn + fanOut)). The fans are given, for stacked projections.
[[nodiscard]] InitialLaw xavier(double gain, std::int64_t fanIn, std::int64_t fanOut);
/// PyTorch's default of a Linear, weights and bias: uniform on +-1 / sqrt(fanIn).
[[nodiscard]] InitialLaw linearDefault(std::int64_t fanIn);
/// One law for the first rows, the other for the rest.
[[nodiscard]] InitialLaw stacked(std::int64_t firstRows, InitialLaw first, InitialLaw rest);
[[nodiscard]] InitialLaw identity();
/// Zeros in one row, `law` elsewhere (drawn as if that row were not special).
[[nodiscard]] InitialLaw withZeroRow(std::int64_t row, InitialLaw law);
/// Row firstRow + i = [sin(p f_j), cos(p f_j)] at p = i / stretch; earlier rows normal(0.02).
[[nodiscard]] InitialLaw sinusoid(std::int64_t firstRow, double stretch);

[[nodiscard]] InitialLaw scaled(double factor, InitialLaw law);

[[nodiscard]] bool endsWith(std::string_view text, std::string_view end);
/// fairseq's Transformer layers (attention.*, cross.*, ffn.*): queries, keys and values Xavier with gain
/// 1/sqrt(2), the attention's output Xavier with zero bias, other biases and the FFN as PyTorch's Linear.
[[nodiscard]] InitialLaw fairseqLayerLaw(std::int64_t hidden, std::int64_t ffn, const std::string& name,
                                         const at::Tensor& parameter);

/// Sets every parameter of `module` by the law of its name, from the stream "init/<name>" of `seed`: the
/// order of construction does not matter, and a parameter of the same name and shape starts equal in two
/// families. A name without a law (an empty function) is a ContractError.
void initialise(torch::nn::Module& module, std::uint64_t seed,
                const std::function<InitialLaw(const std::string& name, const at::Tensor& parameter)>& lawOf);

}  // namespace kurve::models
