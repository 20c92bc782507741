#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <string>

namespace torch::nn {
class Module;
}

// Numbers of tests/golden/networks, which independent PyTorch programs wrote.
namespace kurve::models::testing {

/// tests/golden/networks/<name>; lives to the end of the program.
[[nodiscard]] const nlohmann::json& goldenNetwork(const std::string& name);
/// Nested lists of numbers or truths, in float64.
[[nodiscard]] at::Tensor tensorOf(const nlohmann::json& values);
/// Equal to 1e-9, relative and absolute; shapes may differ in ones.
void expectClose(const at::Tensor& got, const nlohmann::json& wanted, const std::string& what);
/// Norm and probe (sum of g_k cos(0.7 k)) of a gradient, as `of` has them under that name.
void expectGradient(const at::Tensor& gradient, const nlohmann::json& of, const std::string& name);

}  // namespace kurve::models::testing
