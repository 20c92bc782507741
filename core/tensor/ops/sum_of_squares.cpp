#include "core/tensor/ops/sum_of_squares.h"

#include <ATen/ATen.h>

namespace kurve::tensor {

at::Tensor sumOfSquares(const at::Tensor& x, std::int64_t piece) {
    at::Tensor sum;
    for (const at::Tensor& part : x.split(piece)) {
        const at::Tensor square = at::dot(part, part);
        sum = sum.defined() ? sum + square : square;
    }
    return sum;
}

}  // namespace kurve::tensor
