#include "models/common/rotary.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "core/tensor/autocast.h"
#include "core/tensor/to_device.h"

namespace kurve::models {
namespace {

/// One row of y: `direction` * the angles whose cosines and sines are c and s.
template <class T>
void turnRow(const T* x, const T* c, const T* s, T* __restrict y, std::int64_t half, T direction) {
    for (std::int64_t j = 0; j < half; ++j) {
        const T a = x[j], b = x[j + half], sine = direction * s[j];
        y[j] = a * c[j] - b * sine;
        y[j + half] = b * c[j] + a * sine;
    }
}

/// x [B, heads, L, width] on the CPU, in one pass; the result lies in memory as [B, L, heads, width].
template <class T>
at::Tensor turnedRows(const at::Tensor& x, const RotaryTable& table, double direction) {
    const std::int64_t heads = x.size(1), length = x.size(2), half = x.size(3) / 2;
    const at::Tensor cosine = table.cosine.expand(x.sizes()),
                     sine = table.sine.expand({x.size(0), heads, length, half});
    at::Tensor y = at::empty({x.size(0), length, heads, 2 * half}, x.options());
    const auto rowsOf = [](const at::Tensor& of) {
        return
            [data = of.const_data_ptr<T>(), b0 = of.stride(0), h0 = of.stride(1), i0 = of.stride(2)](
                std::int64_t b, std::int64_t h, std::int64_t i) { return data + b * b0 + h * h0 + i * i0; };
    };
    const auto from = rowsOf(x), cosines = rowsOf(cosine), sines = rowsOf(sine);
    T* out = y.mutable_data_ptr<T>();
    at::parallel_for(0, x.size(0) * length, 8192 / x.size(3) + 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            for (std::int64_t h = 0; h < heads; ++h) {
                const std::int64_t b = row / length, i = row % length;
                turnRow<T>(from(b, h, i), cosines(b, h, i), sines(b, h, i),
                           out + (row * heads + h) * 2 * half, half, static_cast<T>(direction));
            }
    });
    return y.transpose(1, 2);
}

bool dense(const at::Tensor& rows) {
    return rows.stride(-1) == 1;
}

/// By the table's angles, or by their opposites for direction -1.
at::Tensor turned(const at::Tensor& x, const RotaryTable& table, double direction) {
    const bool loop = x.is_cpu() && x.dim() == 4 && dense(x) && dense(table.cosine) && dense(table.sine);
    if (loop && x.scalar_type() == at::kFloat) return turnedRows<float>(x, table, direction);
    if (loop && x.scalar_type() == at::kDouble) return turnedRows<double>(x, table, direction);
    const std::int64_t half = x.size(-1) / 2;
    at::Tensor y = at::mul(x, table.cosine);
    y.narrow(-1, 0, half).addcmul_(x.narrow(-1, half, half), table.sine, -direction);
    y.narrow(-1, half, half).addcmul_(x.narrow(-1, 0, half), table.sine, direction);
    return y;
}

/// The gradient is turned back. Nothing but the table is kept for it.
struct Rotation : torch::autograd::Function<Rotation> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& cosine, const at::Tensor& sine) {
        context->save_for_backward({cosine, sine});
        return turned(x, {cosine, sine}, 1);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        return {turned(gradient[0], {saved[0], saved[1]}, -1), at::Tensor(), at::Tensor()};
    }
};

bool sameKind(const at::Tensor& a, const at::Tensor& b) {
    return a.device() == b.device() && a.scalar_type() == b.scalar_type();
}

}  // namespace

at::Tensor rotate(const at::Tensor& heads, const RotaryTable& table) {
    if (!table.sine.defined()) return heads;
    const at::Tensor x = tensor::atLeastFloat(heads);
    KURVE_CHECK(x.size(-1) == table.cosine.size(-1) && x.size(-2) == table.cosine.size(-2),
                "{} positions of width {}, table of {} and {}", x.size(-2), x.size(-1), table.cosine.size(-2),
                table.cosine.size(-1));
    KURVE_CHECK(sameKind(x, table.sine), "the table has another dtype or device");
    if (torch::GradMode::is_enabled() && x.requires_grad())
        return Rotation::apply(x, table.cosine, table.sine);
    return turned(x, table, 1);
}

RotaryTable rotaryTable(const at::Tensor& positions, std::int64_t width, double base,
                        const at::Tensor& like) {
    KURVE_CHECK(width >= 2 && width % 2 == 0, "width {} is not even", width);
    KURVE_CHECK(positions.scalar_type() == at::kDouble, "positions are not f64");
    // A table first built while sampling is used in training too, where inference tensors are refused.
    const c10::InferenceMode ordinary(false);
    const torch::NoGradGuard noGrad;
    const at::Tensor exponent = at::arange(width / 2, at::kDouble) * (-2 / static_cast<double>(width)),
                     angle = positions.unsqueeze(-1) * at::exp(exponent * std::log(base)),
                     cosine = at::cos(angle);
    const auto moved = [&](const at::Tensor& x) {
        return tensor::toDevice(x.to(like.scalar_type()), like.device());
    };
    return {moved(at::cat({cosine, cosine}, -1)), moved(at::sin(angle))};
}

RotaryEmbedding::RotaryEmbedding(std::int64_t width, double base) : width_(width), base_(base) {}

RotaryTable RotaryEmbedding::table(const RotaryPositions& positions, const at::Tensor& like) {
    const bool usable = table_.sine.defined() && sameKind(table_.sine, like) &&
                        cached_.offset == positions.offset && cached_.scale == positions.scale;
    if (!usable || cached_.count < positions.count) {
        cached_ = positions;
        const at::Tensor all = at::arange(positions.count, at::kDouble) * positions.scale + positions.offset;
        table_ = rotaryTable(all, width_, base_, like);
    }
    return {table_.cosine.narrow(0, 0, positions.count), table_.sine.narrow(0, 0, positions.count)};
}

}  // namespace kurve::models
