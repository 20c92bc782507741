#pragma once

#include <cstdint>

namespace kurve::kernels::cpu {

/// Element (i, j) at data[i * row + j * column].
struct Matrix {
    const float* data = nullptr;
    std::int64_t row = 0, column = 0;
};

/// A [rows, inner] times B [inner, columns], none of them empty.
struct MatrixProduct {
    Matrix a, b;
    std::int64_t rows = 0, columns = 0, inner = 0;
    const float* maybeBias = nullptr;  ///< [columns], added to every row
    float* out = nullptr;              ///< [rows, columns], row i at out + i * outStride
    std::int64_t outStride = 0;
};

/// Whether the processor has the instructions of multiplyMatrices(): AVX2 and FMA.
[[nodiscard]] bool multipliesMatrices();

/// One thread. Fast where one stride of each operand is 1 and there are some rows and columns: a product of a
/// few hundred rows, as a training step has them, is 1.1 to 1.2 times as fast as MKL's on AMD Zen 4. Each
/// element is summed in the order of `inner`, whatever the other sizes.
void multiplyMatrices(const MatrixProduct& product);
/// The same as a processor without AVX-512 computes it.
void testOnlyMultiplyNarrow(const MatrixProduct& product);

}  // namespace kurve::kernels::cpu
