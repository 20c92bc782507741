#include "core/tensor/meta_kernels.h"

#include <ATen/ExpandUtils.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <tuple>

namespace kurve::tensor {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

Tensor contiguousLike(const Tensor& like) {
    return at::empty(like.sizes(), like.options());
}

Tensor indexSelect(const Tensor& self, std::int64_t dim, const Tensor& index) {
    auto sizes = self.sizes().vec();
    sizes[static_cast<std::size_t>(at::maybe_wrap_dim(dim, self.dim()))] = index.numel();
    return at::empty(sizes, self.options());
}

Tensor embeddingBackward(const Tensor& gradient, const Tensor& /*ids*/, c10::SymInt rows, c10::SymInt /*pad*/,
                         bool /*scale*/) {
    return at::empty({rows.expect_int(), gradient.size(-1)}, gradient.options());
}

std::tuple<Tensor, Tensor, Tensor> layerNorm(const Tensor& x, c10::SymIntArrayRef normalised,
                                             const MaybeTensor& /*weight*/, const MaybeTensor& /*bias*/,
                                             double /*eps*/) {
    auto sizes = x.sizes().vec();
    std::fill(sizes.end() - static_cast<std::ptrdiff_t>(normalised.size()), sizes.end(), 1);
    return {contiguousLike(x), at::empty(sizes, x.options()), at::empty(sizes, x.options())};
}

std::tuple<Tensor, Tensor, Tensor> layerNormBackward(const Tensor& /*gradient*/, const Tensor& x,
                                                     c10::SymIntArrayRef /*normalised*/,
                                                     const Tensor& /*mean*/, const Tensor& /*rstd*/,
                                                     const MaybeTensor& weight, const MaybeTensor& bias,
                                                     std::array<bool, 3> wanted) {
    const auto like = [](bool want, const MaybeTensor& of) {
        return want && of.has_value() && of->defined() ? contiguousLike(*of) : Tensor();
    };
    return {wanted[0] ? contiguousLike(x) : Tensor(), like(wanted[1], weight), like(wanted[2], bias)};
}

/// [B, heads, L, width] laid out as [B, L, heads, width], as the CPU's kernel does.
Tensor byPosition(const Tensor& heads, std::int64_t width) {
    return at::empty({heads.size(0), heads.size(2), heads.size(1), width}, heads.options()).transpose(1, 2);
}

std::tuple<Tensor, Tensor> attention(const Tensor& query, const Tensor& /*key*/, const Tensor& value,
                                     double /*dropout*/, bool /*causal*/, const MaybeTensor& /*mask*/,
                                     std::optional<double> /*scale*/) {
    const Tensor sums = at::empty({query.size(0), query.size(2), query.size(1)}, query.options());
    return {byPosition(query, value.size(3)), sums.transpose(1, 2)};
}

std::tuple<Tensor, Tensor, Tensor> attentionBackward(const Tensor& /*gradient*/, const Tensor& query,
                                                     const Tensor& key, const Tensor& value,
                                                     const Tensor& /*out*/, const Tensor& /*sums*/,
                                                     double /*dropout*/, bool /*causal*/,
                                                     const MaybeTensor& /*mask*/,
                                                     std::optional<double> /*scale*/) {
    return {byPosition(query, query.size(3)), byPosition(key, key.size(3)), byPosition(value, value.size(3))};
}

void adam(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
          double, double, double, double, double, bool, bool, const MaybeTensor&, const MaybeTensor&) {}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
    const auto sizes = at::infer_size(condition.sizes(), at::infer_size(a.sizes(), b.sizes()));
    return at::empty(sizes, (a.dim() > 0 ? a : b).options());
}

}  // namespace

bool addMetaKernels() {
    static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, __FILE__, __LINE__);
    library.impl("index_select", &indexSelect);
    library.impl("embedding_dense_backward", &embeddingBackward);
    library.impl("native_layer_norm", &layerNorm);
    library.impl("native_layer_norm_backward", &layerNormBackward);
    library.impl("_scaled_dot_product_flash_attention_for_cpu", &attention);
    library.impl("_scaled_dot_product_flash_attention_for_cpu_backward", &attentionBackward);
    library.impl("_fused_adam_", &adam);
    library.impl("_fused_adamw_", &adam);
    library.impl("where.self", &where);
    library.impl("abs", [](const Tensor& x) { return contiguousLike(x); });
    library.impl("relu", [](const Tensor& x) { return contiguousLike(x); });
    library.impl("dot", [](const Tensor& x, const Tensor&) { return at::empty({}, x.options()); });
    library.impl("floor_divide", [](const Tensor& a, const Tensor& b) { return at::add(a, b); });
    library.impl("logical_and", [](const Tensor& a, const Tensor& b) { return at::eq(a, b); });
    library.impl("logical_not", [](const Tensor& x) { return at::eq(x, x); });
    library.impl("mse_loss_backward", [](const Tensor&, const Tensor& x, const Tensor&, std::int64_t) {
        return contiguousLike(x);
    });
    return true;
}

}  // namespace kurve::tensor
