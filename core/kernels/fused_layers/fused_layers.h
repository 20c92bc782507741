#pragma once

#include <cstdint>

/// Layers whose composition from element-wise operations passes over memory many times, in one pass each.
/// Vectorised, one thread; rows lie one after another. NaN stays NaN.
namespace kurve::kernels::cpu {

/// y = silu(g) u of rows (g, u) [rows, 2 width].
void swiGlu(const float* gated, std::int64_t rows, std::int64_t width, float* y);
/// The gradient by (g, u), from that by y.
void swiGluBackward(const float* gated, const float* dy, std::int64_t rows, std::int64_t width,
                    float* gradient);

/// y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), GELU's tanh form (Hendrycks and Gimpel 2016).
void geluTanh(const float* x, std::int64_t count, float* y);
void geluTanhBackward(const float* x, const float* dy, std::int64_t count, float* dx);

struct RmsRows {
    std::int64_t rows = 0, width = 0;
    const float* x = nullptr;       ///< [rows, width]
    const float* weight = nullptr;  ///< [width]
};
/// y = x r w with r = 1 / sqrt(mean(x^2) + epsilon), which goes into `inverse` [rows].
void rmsNorm(const RmsRows& task, float epsilon, float* y, float* inverse);
/// The gradient by x; that by the weight is added to `dWeight` [width].
void rmsNormBackward(const RmsRows& task, const float* inverse, const float* dy, float* dx, float* dWeight);

/// Every row of `values` [rows, width >= 1] becomes its softmax; log sum exp of what it was goes into
/// `normaliser` [rows].
void softmaxRows(float* values, std::int64_t rows, std::int64_t width, float* normaliser);

/// Where a row's largest value lies, in parts: `best` [rows] and `index` [rows] are those of the columns
/// before, and are replaced where a value is larger; equal values keep the first. Columns are numbered from
/// `firstColumn`. A NaN is larger than all numbers.
void updateArgmax(const float* values, std::int64_t rows, std::int64_t columns, std::int64_t firstColumn,
                  float* best, std::int64_t* index);

}  // namespace kurve::kernels::cpu
