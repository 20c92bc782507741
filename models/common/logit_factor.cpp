#include "models/common/logit_factor.h"

#include <torch/torch.h>

#include <tuple>

namespace kurve::models {

at::Tensor logitFactor(const at::Tensor& table) {
    const at::Tensor rows = table.detach().to(at::kCPU, at::kDouble);
    at::Tensor gram = at::mm(rows.t(), rows);
    // A table without full rank has a factor too, with this much on the diagonal: far below what float holds.
    gram.diagonal().add_(1e-12 * gram.diagonal().mean() + 1e-30);
    return std::get<0>(at::linalg_cholesky_ex(gram)).to(table.options());
}

}  // namespace kurve::models
