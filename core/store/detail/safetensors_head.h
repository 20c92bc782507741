#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/store/safetensors.h"

namespace kurve::store::detail {

/// What a tensor of its dtype and shape takes, whatever its `bytes` are. An unknown dtype is a ContractError.
[[nodiscard]] std::uint64_t bytesOf(const TensorView& tensor);

/// How a safetensors file with these tensors begins, and where their data lies.
struct SafetensorsHead {
    /// Only dtypes and shapes are read of the tensors.
    SafetensorsHead(const std::map<std::string, TensorView>& tensors,
                    const std::map<std::string, std::string>& metadata);
    std::string bytes;                             ///< the header's length and the header
    std::vector<std::string> order;                ///< of the data in the file
    std::map<std::string, std::uint64_t> offsets;  ///< in the file
    std::uint64_t fileBytes = 0;
};

}  // namespace kurve::store::detail
