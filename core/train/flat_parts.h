#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/distributed/shard.h"

namespace kurve::train {

/// Parts of a flat block, which do not overlap, and a row of their elements, one part behind the other.
class FlatParts {
public:
    using Part = distributed::Shard;
    explicit FlatParts(std::vector<Part> parts);
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] std::int64_t count() const { return count_; }  ///< elements of the row
    /// That of a part within one of them, as a view of the row.
    [[nodiscard]] at::Tensor within(const at::Tensor& row, const Part& part) const;
    /// The elements of a block, copied.
    [[nodiscard]] at::Tensor gather(const at::Tensor& block) const;
    /// The elements of a row, into a block.
    void scatter(const at::Tensor& row, const at::Tensor& block) const;

private:
    std::vector<Part> parts_;
    std::int64_t count_ = 0;
};

}  // namespace kurve::train
