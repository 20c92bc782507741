#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <string>
#include <string_view>

#include "core/base/random_stream.h"

namespace kurve::models {

/// Sets the initial values of one parameter. Built by the functions below.
using Initializer = std::function<void(const at::Tensor& parameter, const StreamId& stream)>;

[[nodiscard]] Initializer zeros();
[[nodiscard]] Initializer ones();
[[nodiscard]] Initializer normal(double stddev);
/// Uniform on +-gain sqrt(6 / (fanIn + fanOut)). The fans are given, for stacked projections.
[[nodiscard]] Initializer xavier(double gain, std::int64_t fanIn, std::int64_t fanOut);
/// PyTorch's default of a Linear, weights and bias: uniform on +-1 / sqrt(fanIn).
[[nodiscard]] Initializer linearDefault(std::int64_t fanIn);
/// One initializer for the first rows, the other for the rest.
[[nodiscard]] Initializer stacked(std::int64_t firstRows, Initializer first, Initializer rest);
[[nodiscard]] Initializer identity();
/// Zeros in one row, `rest` elsewhere (drawn as if that row were not special).
[[nodiscard]] Initializer withZeroRow(std::int64_t row, Initializer rest);
/// Row firstRow + i = [sin(p f_j), cos(p f_j)] at p = i / stretch; earlier rows normal(0.02).
[[nodiscard]] Initializer sinusoid(std::int64_t firstRow, double stretch);

[[nodiscard]] Initializer scaled(double factor, Initializer initializer);

[[nodiscard]] bool endsWith(std::string_view text, std::string_view end);
/// fairseq's Transformer layers (attention.*, cross.*, ffn.*): queries, keys and values Xavier with gain
/// 1/sqrt(2), the attention's output Xavier with zero bias, other biases and the FFN as PyTorch's Linear.
[[nodiscard]] Initializer fairseqLayerInitializer(std::int64_t hidden, std::int64_t ffn,
                                                  const std::string& name, const at::Tensor& parameter);

/// Sets every parameter of `module` by the initializer of its name, from the stream "init/<name>" of `seed`:
/// the order of construction does not matter, and a parameter of the same name and shape starts equal in two
/// families. A name without an initializer (an empty function) is a ContractError.
void initialise(
    torch::nn::Module& module, std::uint64_t seed,
    const std::function<Initializer(const std::string& name, const at::Tensor& parameter)>& initializerOf);

}  // namespace kurve::models
