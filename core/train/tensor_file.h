#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/safetensors.h"

namespace kurve::train {

using NamedTensors = std::map<std::string, at::Tensor>;

/// The values of a view, which must outlive the tensor; nothing for a dtype that is not read.
[[nodiscard]] std::optional<at::Tensor> tensorOf(const store::TensorView& view);
/// "[3, 4]".
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);

/// Writes a safetensors file from tensors of any device; floating ones as F16 if `half`. Returns its SHA-256.
Result<std::string> writeTensors(const std::filesystem::path& file, const NamedTensors& tensors,
                                 const std::map<std::string, std::string>& metadata, bool half = false);

/// Copies the file's tensors into the given ones (F16, BF16 and F64 are converted). Nothing is changed unless
/// all fit. Errors name file and tensor: checkpoint.missing_tensor, checkpoint.unexpected_tensor,
/// checkpoint.shape, checkpoint.dtype, safetensors.*.
Status readTensors(const std::filesystem::path& file, const NamedTensors& into);

}  // namespace kurve::train
