#include "core/tensor/ops/banded_map.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "core/base/check.h"
#include "core/kernels/banded_map/banded_map.h"
#include "core/tensor/autocast.h"
#if defined(KURVE_HAS_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace kurve::tensor {
namespace {

kernels::RaggedMap raggedMap(const BandedRows& rows, const at::Tensor& x) {
    kernels::RaggedMap map;
    map.band = {rows.first.const_data_ptr<std::int32_t>(), rows.begin.const_data_ptr<std::int64_t>(),
                rows.weight.const_data_ptr<float>()};
    map.table = rows.table.const_data_ptr<std::int64_t>();
    map.rows = rows.rows.const_data_ptr<std::int32_t>();
    map.batch = x.size(0);
    map.outRows = rows.outRows;
    map.inRows = x.size(1);
    map.width = x.size(2);
    return map;
}

at::Tensor applied(const BandedRows& rows, const at::Tensor& x) {
    KURVE_CHECK(x.scalar_type() == at::kFloat && x.dim() == 3 && x.size(0) == rows.table.size(0),
                "needs f32 [{}, …, …], got {} dims of {}", rows.table.size(0), x.dim(),
                c10::toString(x.scalar_type()));
    const at::Tensor in = x.contiguous();
    at::Tensor out = at::empty({x.size(0), rows.outRows, x.size(2)}, x.options());
    if (x.is_meta()) return out;
    const kernels::RaggedMap map = raggedMap(rows, in);
    const auto* from = in.const_data_ptr<float>();
    auto* to = out.mutable_data_ptr<float>();
    if (x.is_cpu()) {
        const std::int64_t work = std::max<std::int64_t>(1, map.outRows * map.width);
        at::parallel_for(
            0, map.batch, std::max<std::int64_t>(1, (1 << 14) / work),
            [&](std::int64_t begin, std::int64_t end) { kernels::cpu::apply(map, begin, end, from, to); });
        return out;
    }
#if defined(KURVE_HAS_CUDA)
    const c10::cuda::CUDAGuard guard(x.device());
    C10_CUDA_CHECK(static_cast<cudaError_t>(
        kernels::cuda::apply(map, from, to, c10::cuda::getCurrentCUDAStream(x.device().index()).stream())));
#else
    KURVE_CHECK(x.is_cpu(), "this build has no kernels for {}", x.device().str());
#endif
    return out;
}

struct BandedMapOp : torch::autograd::Function<BandedMapOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const BandedMap& map) {
        const BandedRows& back = map.transposed;
        context->saved_data["back"] =
            std::vector<at::Tensor>{back.first, back.begin, back.weight, back.table, back.rows};
        context->saved_data["rows"] = back.outRows;
        return applied(map.forward, x);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->saved_data.at("back").toTensorVector();
        const BandedRows back{saved[0], saved[1], saved[2],
                              saved[3], saved[4], context->saved_data.at("rows").toInt()};
        return {applied(back, gradient[0]), {}};
    }
};

}  // namespace

at::Tensor bandedMap(const at::Tensor& x, const BandedMap& map) {
    KURVE_CHECK(x.size(1) == map.transposed.outRows, "got {} rows, expected {}", x.size(1),
                map.transposed.outRows);
    return BandedMapOp::apply(atLeastFloat(x), map);
}

at::Tensor denseOf(const BandedRows& rows, std::int64_t columns, at::ScalarType type) {
    const auto host = [](const at::Tensor& t) { return t.to(at::kCPU); };
    const at::Tensor first = host(rows.first), begin = host(rows.begin), weight = host(rows.weight),
                     table = host(rows.table), counts = host(rows.rows);
    at::Tensor dense = at::zeros({table.size(0), rows.outRows, columns}, at::kFloat);
    auto all = dense.accessor<float, 3>();
    for (std::int64_t b = 0; b < table.size(0); ++b)
        for (std::int64_t i = 0; i < counts.const_data_ptr<std::int32_t>()[b]; ++i) {
            const std::int64_t r = table.const_data_ptr<std::int64_t>()[b] + i;
            const std::int64_t from = begin.const_data_ptr<std::int64_t>()[r],
                               to = begin.const_data_ptr<std::int64_t>()[r + 1];
            for (std::int64_t w = from; w < to; ++w)
                all[b][i][first.const_data_ptr<std::int32_t>()[r] + w - from] =
                    weight.const_data_ptr<float>()[w];
        }
    return dense.to(rows.weight.device(), type);
}

}  // namespace kurve::tensor
