#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace kurve::models {

/// cos and sin of the angles p f_j, f_j = base^(-2 j / width), j < width / 2, of positions p.
struct RotaryTable {
    at::Tensor cosine;  ///< [..., L, width], both halves equal
    at::Tensor sine;    ///< [..., L, width / 2]
};

/// Rotary position embedding (Su et al. 2021, eq. 34) in the half-split convention: coordinates j and
/// j + width / 2 of x [..., L, width] are turned by the angle p f_j. The scalar product of two rotated
/// vectors depends on the difference of their positions alone. Interleaved pairs (2 j, 2 j + 1), as fairseq2
/// has them, are the same with permuted rows of the query and key projections. Differentiable by x, once; x
/// and the table are of one dtype and device. An undefined table leaves x as it is.
[[nodiscard]] at::Tensor rotate(const at::Tensor& x, const RotaryTable& table);

/// The table of any positions [..., L] f64 on the host, fractional ones too, in the dtype and on the device
/// of `like`. Angles are computed in f64. The width is even.
[[nodiscard]] RotaryTable rotaryTable(const at::Tensor& positions, std::int64_t width, double base,
                                      const at::Tensor& like);

/// Element i lies at position offset + scale * i.
struct RotaryPositions {
    std::int64_t count = 0;
    double offset = 0, scale = 1;
};

/// Tables of the latest offset, scale, dtype and device, as long as the longest sequence so far. One thread
/// at a time.
class RotaryEmbedding {
public:
    RotaryEmbedding() = default;
    explicit RotaryEmbedding(std::int64_t width, double base = 10000);
    [[nodiscard]] RotaryTable table(const RotaryPositions& positions, const at::Tensor& like);

private:
    std::int64_t width_ = 0;
    double base_ = 0;
    RotaryPositions cached_;
    RotaryTable table_;
};

}  // namespace kurve::models
