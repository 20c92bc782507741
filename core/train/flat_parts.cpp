#include "core/train/flat_parts.h"

#include <ATen/ops/empty.h>

#include "core/base/check.h"

namespace kurve::train {

FlatParts::FlatParts(std::vector<Part> parts) : parts_(std::move(parts)) {
    for (const Part& part : parts_) count_ += part.count;
}

at::Tensor FlatParts::within(const at::Tensor& row, const Part& part) const {
    std::int64_t before = 0;
    for (const Part& one : parts_) {
        if (part.first >= one.first && part.first + part.count <= one.first + one.count)
            return row.narrow(0, before + part.first - one.first, part.count);
        before += one.count;
    }
    KURVE_CHECK(false, "elements {} to {} are in no part", part.first, part.first + part.count);
}

at::Tensor FlatParts::gather(const at::Tensor& block) const {
    at::Tensor row = at::empty({count_}, block.options());
    for (const Part& part : parts_) within(row, part).copy_(block.narrow(0, part.first, part.count));
    return row;
}

void FlatParts::scatter(const at::Tensor& row, const at::Tensor& block) const {
    for (const Part& part : parts_) block.narrow(0, part.first, part.count).copy_(within(row, part));
}

}  // namespace kurve::train
