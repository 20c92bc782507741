#include "core/tensor/ops/fused_layers.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/kernels/fused_layers/fused_layers.h"
#include "core/tensor/autocast.h"

namespace kurve::tensor {
namespace {

namespace cpu = kernels::cpu;

/// Of f32 on the CPU, or of shapes alone; all else is composed of ATen's operations, which on a GPU must take
/// no more memory: shapes tell what a training needs there too.
bool fused(const at::Tensor& x) {
    return (x.is_cpu() || x.is_meta()) && x.scalar_type() == at::kFloat && x.size(-1) > 0;
}

bool needsGradient(const at::Tensor& x) {
    return torch::GradMode::is_enabled() && x.requires_grad();
}

std::int64_t rowsOf(const at::Tensor& x) {
    return x.numel() / x.size(-1);
}

template <class Work>
void forRows(std::int64_t rows, std::int64_t width, const Work& work) {
    constexpr std::int64_t kGrain = 1 << 14;
    at::parallel_for(0, rows, std::max<std::int64_t>(1, kGrain / width), work);
}

at::Tensor gatedForward(const at::Tensor& gated) {
    const at::Tensor in = gated.contiguous();
    std::vector<std::int64_t> shape = in.sizes().vec();
    shape.back() /= 2;
    at::Tensor y = at::empty(shape, in.options());
    if (in.is_meta()) return y;
    const std::int64_t width = shape.back();
    const auto* from = in.const_data_ptr<float>();
    auto* to = y.mutable_data_ptr<float>();
    forRows(rowsOf(in), width, [&](std::int64_t begin, std::int64_t end) {
        cpu::swiGlu(from + begin * 2 * width, end - begin, width, to + begin * width);
    });
    return y;
}

at::Tensor gatedBackward(const at::Tensor& gated, const at::Tensor& gradient) {
    const at::Tensor in = gated.contiguous(), dy = gradient.contiguous();
    at::Tensor out = at::empty_like(in);
    if (in.is_meta()) return out;
    const std::int64_t width = dy.size(-1);
    const auto *from = in.const_data_ptr<float>(), *by = dy.const_data_ptr<float>();
    auto* to = out.mutable_data_ptr<float>();
    forRows(rowsOf(in), width, [&](std::int64_t begin, std::int64_t end) {
        cpu::swiGluBackward(from + begin * 2 * width, by + begin * width, end - begin, width,
                            to + begin * 2 * width);
    });
    return out;
}

at::Tensor composedSwiGlu(const at::Tensor& gated) {
    const std::vector<at::Tensor> in = gated.chunk(2, -1);
    return at::silu(in[0]).mul_(in[1]);
}

/// Keeps its input alone, as the fused one does; autograd would keep silu(g) too.
struct ComposedSwiGluOp : torch::autograd::Function<ComposedSwiGluOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& gated) {
        context->save_for_backward({gated});
        return composedSwiGlu(gated);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const at::Tensor gated = context->get_saved_variables()[0], out = at::empty_like(gated);
        const std::vector<at::Tensor> in = gated.chunk(2, -1), by = out.chunk(2, -1);
        at::Tensor byGate = by[0], byOther = by[1];
        at::mul_out(byGate, gradient[0], in[1]);
        at::silu_backward_out(byGate, byGate, in[0]);
        at::silu_out(byOther, in[0]);
        byOther.mul_(gradient[0]);
        return {out};
    }
};

struct SwiGluOp : torch::autograd::Function<SwiGluOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& gated) {
        context->save_for_backward({gated});
        return gatedForward(gated);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        return {gatedBackward(context->get_saved_variables()[0], gradient[0])};
    }
};

at::Tensor geluForward(const at::Tensor& x) {
    at::Tensor y = at::empty_like(x);
    if (x.is_meta()) return y;
    const auto* from = x.const_data_ptr<float>();
    auto* to = y.mutable_data_ptr<float>();
    forRows(x.numel(), 1, [&](std::int64_t begin, std::int64_t end) {
        cpu::geluTanh(from + begin, end - begin, to + begin);
    });
    return y;
}

at::Tensor geluBackward(const at::Tensor& x, const at::Tensor& gradient) {
    const at::Tensor dy = gradient.contiguous();
    at::Tensor dx = at::empty_like(x);
    if (x.is_meta()) return dx;
    const auto *from = x.const_data_ptr<float>(), *by = dy.const_data_ptr<float>();
    auto* to = dx.mutable_data_ptr<float>();
    forRows(x.numel(), 1, [&](std::int64_t begin, std::int64_t end) {
        cpu::geluTanhBackward(from + begin, by + begin, end - begin, to + begin);
    });
    return dx;
}

struct GeluTanhOp : torch::autograd::Function<GeluTanhOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
        context->save_for_backward({x});
        return geluForward(x);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        return {geluBackward(context->get_saved_variables()[0], gradient[0])};
    }
};

struct Normed {
    at::Tensor y, inverse;
};

Normed normForward(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    Normed out{at::empty_like(x), at::empty({rowsOf(x)}, x.options())};
    if (x.is_meta()) return out;
    const std::int64_t width = x.size(-1);
    const auto *from = x.const_data_ptr<float>(), *by = weight.const_data_ptr<float>();
    auto *to = out.y.mutable_data_ptr<float>(), *inverse = out.inverse.mutable_data_ptr<float>();
    forRows(rowsOf(x), width, [&](std::int64_t begin, std::int64_t end) {
        cpu::rmsNorm({end - begin, width, from + begin * width, by}, static_cast<float>(epsilon),
                     to + begin * width, inverse + begin);
    });
    return out;
}

/// The gradients by x and by the weight.
torch::autograd::variable_list normBackward(const at::Tensor& x, const at::Tensor& weight,
                                            const at::Tensor& inverse, const at::Tensor& gradient) {
    constexpr std::int64_t kBlock = 256;  // rows whose gradients by the weight are added up: as many threads
    const at::Tensor dy = gradient.contiguous();
    const std::int64_t width = x.size(-1), rows = rowsOf(x), blocks = (rows + kBlock - 1) / kBlock;
    at::Tensor dx = at::empty_like(x), dWeight = at::zeros({blocks, width}, x.options());
    if (!x.is_meta()) {
        const auto *from = x.const_data_ptr<float>(), *by = weight.const_data_ptr<float>(),
                   *inverses = inverse.const_data_ptr<float>(), *d = dy.const_data_ptr<float>();
        auto *to = dx.mutable_data_ptr<float>(), *byWeight = dWeight.mutable_data_ptr<float>();
        at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                const std::int64_t row = block * kBlock, at = row * width;
                cpu::rmsNormBackward({std::min(kBlock, rows - row), width, from + at, by}, inverses + row,
                                     d + at, to + at, byWeight + block * width);
            }
        });
    }
    return {dx, dWeight.sum(0), {}};
}

struct RmsNormOp : torch::autograd::Function<RmsNormOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& weight, double epsilon) {
        Normed made = normForward(x, weight, epsilon);
        context->save_for_backward({x, weight, made.inverse});
        return made.y;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        return normBackward(saved[0], saved[1], saved[2], gradient[0]);
    }
};

}  // namespace

at::Tensor swiGlu(const at::Tensor& gated) {
    KURVE_CHECK(gated.size(-1) % 2 == 0, "{} numbers have no halves", gated.size(-1));
    if (!fused(gated)) return needsGradient(gated) ? ComposedSwiGluOp::apply(gated) : composedSwiGlu(gated);
    return needsGradient(gated) ? SwiGluOp::apply(gated) : gatedForward(gated);
}

at::Tensor geluTanh(const at::Tensor& x) {
    if (!fused(x)) return at::gelu(x, "tanh");
    const at::Tensor in = x.contiguous();
    return needsGradient(in) ? GeluTanhOp::apply(in) : geluForward(in);
}

at::Tensor rmsNorm(const at::Tensor& states, const at::Tensor& weight, double epsilon) {
    const at::Tensor x = atLeastFloat(states);
    if (!fused(x) || weight.scalar_type() != at::kFloat)
        return at::rms_norm(x, weight.sizes(), weight, epsilon);
    const at::Tensor rows = x.contiguous(), by = weight.contiguous();
    return needsGradient(x) || needsGradient(weight) ? RmsNormOp::apply(rows, by, epsilon)
                                                     : normForward(rows, by, epsilon).y;
}

at::Tensor softmaxInPlace(at::Tensor& x) {
    const torch::NoGradGuard noGrad;
    if (!fused(x) || !x.is_contiguous()) {
        // at::logsumexp() would take a second block of this size.
        const at::Tensor largest = x.amax(1, /*keepdim=*/true);
        const at::Tensor sum = x.sub_(largest).exp_().sum(1, /*keepdim=*/true);
        x.div_(sum);
        return sum.log().add_(largest).squeeze(1);
    }
    at::Tensor normaliser = at::empty({x.size(0)}, x.options());
    if (x.is_meta()) return normaliser;
    const std::int64_t width = x.size(1);
    auto *values = x.mutable_data_ptr<float>(), *to = normaliser.mutable_data_ptr<float>();
    forRows(x.size(0), width, [&](std::int64_t begin, std::int64_t end) {
        cpu::softmaxRows(values + begin * width, end - begin, width, to + begin);
    });
    return normaliser;
}

at::Tensor largestProduct(const at::Tensor& x, const at::Tensor& table) {
    const torch::NoGradGuard noGrad;
    const std::int64_t rows = x.size(0), vocabulary = table.size(0);
    if (!x.is_cpu() || x.scalar_type() != at::kFloat || table.scalar_type() != at::kFloat) {
        constexpr std::int64_t kAtOnce = 4 << 20;
        std::vector<at::Tensor> parts;
        for (const at::Tensor& part : x.split(std::max<std::int64_t>(1, kAtOnce / vocabulary)))
            parts.push_back(at::mm(part, table.t()).argmax(-1));
        return rows == 0 ? at::empty({0}, x.options().dtype(at::kLong)) : at::cat(parts);
    }
    constexpr std::int64_t kRows = 512, kColumns = 512;  // a tile of products stays in the second-level cache
    at::Tensor tile = at::empty({kRows * kColumns}, x.options());
    const at::Tensor index = at::zeros({rows}, x.options().dtype(at::kLong)),
                     best = at::full({rows}, -std::numeric_limits<float>::infinity(), x.options());
    for (std::int64_t row = 0; row < rows; row += kRows)
        for (std::int64_t column = 0; column < vocabulary; column += kColumns) {
            const std::int64_t height = std::min(kRows, rows - row),
                               width = std::min(kColumns, vocabulary - column);
            at::Tensor products = tile.narrow(0, 0, height * width).view({height, width});
            at::mm_out(products, x.narrow(0, row, height), table.narrow(0, column, width).t());
            cpu::updateArgmax(products.const_data_ptr<float>(), height, width, column,
                              best.mutable_data_ptr<float>() + row,
                              index.mutable_data_ptr<std::int64_t>() + row);
        }
    return index;
}

}  // namespace kurve::tensor
