#include "core/tensor/ops/linear.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/kernels/matrix_product/matrix_product.h"
#include "core/tensor/autocast.h"

namespace kurve::tensor {
namespace {

namespace cpu = kernels::cpu;

using MaybeTensor = std::optional<at::Tensor>;

/// f32 on the CPU or of shapes alone, with a processor that has the instructions.
bool isSingle(const at::Tensor& x) {
    static const bool multiplies = cpu::multipliesMatrices();
    return multiplies && (x.is_cpu() || x.is_meta()) && x.layout() == at::kStrided &&
           x.scalar_type() == at::kFloat;
}

/// Products with few rows or columns are ATen's.
bool isLarge(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    constexpr std::int64_t kFewest = 4;
    return rows >= kFewest && columns >= kFewest && inner > 0;
}

bool fits(const at::Tensor& a, const at::Tensor& b, const MaybeTensor& maybeBias) {
    return a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0) &&
           isLarge(a.size(0), a.size(1), b.size(1)) && isSingle(a) && isSingle(b) &&
           (!maybeBias || (isSingle(*maybeBias) && maybeBias->dim() == 1 && maybeBias->size(0) == b.size(1)));
}

/// With a stride of 1.
at::Tensor readable(const at::Tensor& x) {
    return x.stride(0) == 1 || x.stride(1) == 1 ? x : x.contiguous();
}

cpu::Matrix matrixOf(const at::Tensor& x) {
    return {x.const_data_ptr<float>(), x.stride(0), x.stride(1)};
}

/// Threads share the longer side; the order of a sum does not depend on them.
void multiplyInParallel(const cpu::MatrixProduct& all) {
    constexpr std::int64_t kLeastWork = 1 << 20, kLeastPart = 32;
    const std::int64_t longer = std::max(all.rows, all.columns), shorter = std::min(all.rows, all.columns);
    const std::int64_t grain = std::max(kLeastPart, kLeastWork / (all.inner * shorter));
    at::parallel_for(0, longer, grain, [&](std::int64_t begin, std::int64_t end) {
        cpu::MatrixProduct part = all;
        if (all.rows == longer) {
            part.rows = end - begin;
            part.a.data += begin * all.a.row;
            part.out += begin * all.outStride;
        } else {
            part.columns = end - begin;
            part.b.data += begin * all.b.column;
            part.out += begin;
            if (part.maybeBias != nullptr) part.maybeBias += begin;
        }
        cpu::multiplyMatrices(part);
    });
}

/// matrixProduct() of a shape that has its rows in more than one dimension.
at::Tensor productOfShape(at::IntArrayRef shape, const at::Tensor& a, const at::Tensor& b,
                          const MaybeTensor& maybeBias = {}) {
    if (!fits(a, b, maybeBias))
        return (maybeBias ? at::addmm(*maybeBias, a, b) : at::matmul(a, b)).reshape(shape);
    const at::Tensor left = readable(a), right = readable(b);
    const at::Tensor bias = maybeBias ? maybeBias->contiguous() : at::Tensor();
    at::Tensor out = at::empty(shape, a.options());
    if (a.is_meta()) return out;
    multiplyInParallel({matrixOf(left), matrixOf(right), a.size(0), b.size(1), a.size(1),
                        maybeBias ? bias.const_data_ptr<float>() : nullptr, out.mutable_data_ptr<float>(),
                        b.size(1)});
    return out;
}

at::Tensor asRows(const at::Tensor& x) {
    return x.reshape({x.numel() / std::max<std::int64_t>(1, x.size(-1)), x.size(-1)});
}

at::Tensor linearForward(const at::Tensor& x, const at::Tensor& weight, const MaybeTensor& maybeBias) {
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return productOfShape(shape, asRows(x), weight.t(), maybeBias);
}

struct LinearOp : torch::autograd::Function<LinearOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& weight, const MaybeTensor& maybeBias) {
        const auto neededBy = [](const at::Tensor& other, const at::Tensor& kept) {
            return other.requires_grad() ? kept : at::Tensor();
        };
        context->save_for_backward({neededBy(weight, x), neededBy(x, weight)});
        context->saved_data["biased"] = maybeBias.has_value();
        return linearForward(x, weight, maybeBias);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], dy = asRows(gradient[0]);
        at::Tensor dx, dWeight, dBias;
        if (context->needs_input_grad(0)) {
            std::vector<std::int64_t> shape = gradient[0].sizes().vec();
            shape.back() = weight.size(1);
            dx = productOfShape(shape, dy, weight);
        }
        if (context->needs_input_grad(1)) dWeight = matrixProduct(dy.t(), asRows(x));
        if (context->saved_data["biased"].toBool() && context->needs_input_grad(2)) dBias = dy.sum(0);
        return {dx, dWeight, dBias};
    }
};

}  // namespace

at::Tensor matrixProduct(const at::Tensor& a, const at::Tensor& b, const MaybeTensor& maybeBias) {
    if (!fits(a, b, maybeBias)) return maybeBias ? at::addmm(*maybeBias, a, b) : at::matmul(a, b);
    return productOfShape({a.size(0), b.size(1)}, a, b, maybeBias);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& maybeBias) {
    const MaybeTensor bias = maybeBias.defined() ? MaybeTensor(maybeBias) : std::nullopt;
    // Not within LinearOp: what ATen returns may be a view, which nothing could change in place then.
    if (x.dim() < 2 || !isSingle(x) || !isSingle(weight) || autocastOn(x.device()) ||
        !isLarge(x.numel() / std::max<std::int64_t>(1, x.size(-1)), x.size(-1), weight.size(0)))
        return at::linear(x, weight, bias);
    const bool differentiates =
        torch::GradMode::is_enabled() &&
        (x.requires_grad() || weight.requires_grad() || (bias && bias->requires_grad()));
    return differentiates ? LinearOp::apply(x, weight, bias) : linearForward(x, weight, bias);
}

}  // namespace kurve::tensor
