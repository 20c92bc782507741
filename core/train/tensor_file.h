#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/safetensors.h"

namespace torch::nn {
class Module;
}

namespace kurve::train {

using NamedTensors = std::map<std::string, at::Tensor>;

/// Parameters and buffers of a module: what a file of its weights holds.
[[nodiscard]] NamedTensors moduleTensors(torch::nn::Module& module);
/// The values of a view, which must outlive the tensor; nothing for a dtype that is not read.
[[nodiscard]] std::optional<at::Tensor> tensorOf(const store::TensorView& view);
/// "[3, 4]".
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);

/// Writes a safetensors file from tensors of any device; floating ones as F16 if `half`. Returns its SHA-256.
Result<std::string> writeTensors(const std::filesystem::path& file, const NamedTensors& tensors,
                                 const std::map<std::string, std::string>& metadata, bool half = false);

/// What becomes of the file's tensors that are not asked for.
enum class OtherTensors : unsigned char { Refused, Ignored };

/// Copies the file's tensors into the given ones (F16, BF16 and F64 are converted). Nothing is changed unless
/// all fit. Errors name file and every tensor that does not fit; the code and `field` are the first one's:
/// checkpoint.missing_tensor, checkpoint.unexpected_tensor, checkpoint.shape, checkpoint.dtype,
/// safetensors.*.
Status readTensors(const std::filesystem::path& file, const NamedTensors& into,
                   OtherTensors others = OtherTensors::Refused);

}  // namespace kurve::train
