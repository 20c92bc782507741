#pragma once

namespace kurve::tensor {

/// Teaches torch the operations on "meta" tensors that its Python half knows and LibTorch does not, as far as
/// models here use them: what they put out, and what their CPU kernels take on the way. Once in a process.
bool addMetaKernels();

}  // namespace kurve::tensor
