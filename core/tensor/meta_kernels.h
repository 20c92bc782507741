#pragma once

namespace kurve::tensor {

/// Teaches torch the operations on "meta" tensors that its Python half knows and LibTorch does not, as far as
/// models here use them: their outputs, and the memory of their CPU kernels. Once in a process.
bool addMetaKernels();

}  // namespace kurve::tensor
