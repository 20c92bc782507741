#include "core/tensor/random.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "core/base/check.h"
#include "core/kernels/random_fill/random_fill.h"
#include "core/tensor/autocast.h"
#if defined(KURVE_HAS_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace kurve::tensor {
namespace {

using kernels::RandomRows;

RandomRows rowsOf(at::IntArrayRef shape, const RowStream& stream) {
    const std::int64_t rows = shape.empty() ? 1 : shape[0];
    return {stream.id.key, stream.id.step, stream.firstRow, rows,
            rows == 0 ? 0 : c10::multiply_integers(shape) / rows};
}

kernels::DropoutFill shifted(kernels::DropoutFill op, std::int64_t by) {
    op.input += by;
    if (op.residual != nullptr) op.residual += by;
    return op;
}
template <class Op>
Op shifted(Op op, std::int64_t) {
    return op;
}

template <class Op>
void fillOnCpu(const RandomRows& rows, const Op& op, float* out) {
    constexpr std::int64_t kGrain = 1 << 15;  // below this a second thread costs more than it gives
    const std::int64_t grain =
        rows.rowLength > 0 ? std::max<std::int64_t>(1, kGrain / rows.rowLength) : rows.rows;
    at::parallel_for(0, rows.rows, grain, [&](std::int64_t begin, std::int64_t end) {
        RandomRows part = rows;
        part.firstRow += static_cast<std::uint64_t>(begin);
        part.rows = end - begin;
        kernels::cpu::fill(part, shifted(op, begin * rows.rowLength), out + begin * rows.rowLength);
    });
}

template <class Op>
void fillOn(c10::Device device, const RandomRows& rows, const Op& op, float* out) {
    if (device.is_cpu()) return fillOnCpu(rows, op, out);
    if (device.is_meta()) return;
#if defined(KURVE_HAS_CUDA)
    const c10::cuda::CUDAGuard guard(device);
    const auto stream = c10::cuda::getCurrentCUDAStream(device.index());
    C10_CUDA_CHECK(static_cast<cudaError_t>(kernels::cuda::fill(rows, op, out, stream.stream())));
#else
    KURVE_CHECK(device.is_cpu(), "this build has no kernels for {}", device.str());
#endif
}

// Shapes without data ("meta") have none to point to.
const float* dataOf(const at::Tensor& x) {
    return x.is_meta() ? nullptr : x.const_data_ptr<float>();
}
float* writableDataOf(const at::Tensor& x) {
    return x.is_meta() ? nullptr : x.mutable_data_ptr<float>();
}

void checkFloats(const at::Tensor& x) {
    KURVE_CHECK(x.scalar_type() == at::kFloat && x.is_contiguous(), "needs contiguous f32, got {} {}",
                c10::toString(x.scalar_type()), x.is_contiguous() ? "contiguous" : "strided");
}

at::Tensor dropped(const at::Tensor& x, const at::Tensor* maybeResidual, double rate,
                   const RowStream& stream) {
    checkFloats(x);
    if (maybeResidual != nullptr) checkFloats(*maybeResidual);
    at::Tensor out = at::empty_like(x);
    const kernels::DropoutFill op{static_cast<float>(rate), dataOf(x),
                                  maybeResidual != nullptr ? dataOf(*maybeResidual) : nullptr};
    fillOn(x.device(), rowsOf(x.sizes(), stream), op, writableDataOf(out));
    return out;
}

RowStream streamFrom(const torch::autograd::AutogradContext& context) {
    const auto number = [&](const char* name) {
        return static_cast<std::uint64_t>(context.saved_data.at(name).toInt());
    };
    StreamId id(0, "", number("step"));
    id.key = number("key");
    return {id, number("row")};
}

struct DropoutOp : torch::autograd::Function<DropoutOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, double rate,
                              const RowStream& stream) {
        context->saved_data["rate"] = rate;
        context->saved_data["key"] = static_cast<std::int64_t>(stream.id.key);
        context->saved_data["step"] = static_cast<std::int64_t>(stream.id.step);
        context->saved_data["row"] = static_cast<std::int64_t>(stream.firstRow);
        return dropped(x, nullptr, rate, stream);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const double rate = context->saved_data.at("rate").toDouble();
        return {dropped(gradient[0].contiguous(), nullptr, rate, streamFrom(*context)), {}, {}};
    }
};

struct AddDropoutOp : torch::autograd::Function<AddDropoutOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& residual,
                              const at::Tensor& x, double rate, const RowStream& stream) {
        context->saved_data["rate"] = rate;
        context->saved_data["key"] = static_cast<std::int64_t>(stream.id.key);
        context->saved_data["step"] = static_cast<std::int64_t>(stream.id.step);
        context->saved_data["row"] = static_cast<std::int64_t>(stream.firstRow);
        return dropped(x, &residual, rate, stream);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const double rate = context->saved_data.at("rate").toDouble();
        return {gradient[0], dropped(gradient[0].contiguous(), nullptr, rate, streamFrom(*context)), {}, {}};
    }
};

}  // namespace

at::Tensor normalRows(at::IntArrayRef shape, const RowStream& stream, c10::Device device) {
    at::Tensor out = at::empty(shape, at::TensorOptions(at::kFloat).device(device));
    fillOn(device, rowsOf(shape, stream), kernels::NormalFill{}, writableDataOf(out));
    return out;
}

at::Tensor uniformRows(at::IntArrayRef shape, const RowStream& stream, c10::Device device) {
    at::Tensor out = at::empty(shape, at::TensorOptions(at::kFloat).device(device));
    fillOn(device, rowsOf(shape, stream), kernels::UniformFill{}, writableDataOf(out));
    return out;
}

float uniformAt(const StreamId& id, std::uint64_t row, std::uint64_t element) {
    std::vector<float> values(element + 1);
    kernels::reference::fill({id.key, id.step, row, 1, static_cast<std::int64_t>(element) + 1},
                             kernels::UniformFill{}, values.data());
    return values.back();
}

void fillNormal(const at::Tensor& target, const StreamId& id, double mean, double stddev) {
    checkFloats(target);
    fillOn(target.device(), {id.key, id.step, 0, 1, target.numel()},
           kernels::NormalFill{static_cast<float>(mean), static_cast<float>(stddev)}, writableDataOf(target));
}

void fillUniform(const at::Tensor& target, const StreamId& id, double low, double high) {
    checkFloats(target);
    fillOn(target.device(), {id.key, id.step, 0, 1, target.numel()}, kernels::UniformFill{},
           writableDataOf(target));
    const torch::NoGradGuard noGrad;
    target.mul_(high - low).add_(low);
}

at::Tensor dropout(const at::Tensor& x, double rate, const RowStream& stream) {
    return rate <= 0 ? x : DropoutOp::apply(atLeastFloat(x).contiguous(), rate, stream);
}

at::Tensor addDropout(const at::Tensor& residual, const at::Tensor& x, double rate, const RowStream& stream) {
    return rate <= 0 ? residual + x
                     : AddDropoutOp::apply(atLeastFloat(residual).contiguous(), atLeastFloat(x).contiguous(),
                                           rate, stream);
}

}  // namespace kurve::tensor
