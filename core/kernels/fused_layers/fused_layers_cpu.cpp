#include <cmath>

#include "core/kernels/detail/vector_math.h"
#include "core/kernels/fused_layers/fused_layers.h"

namespace kurve::kernels::cpu {
namespace {

constexpr std::int64_t kLanes = 32;  // partial sums of a row

KURVE_INLINE bool larger(float a, float b) {
    return (a > b) | ((a != a) & (b == b));
}

/// NaN where there is one, else the largest; -infinity of nothing.
KURVE_INLINE float largestOf(const float* row, std::int64_t count) {
    float most[kLanes], largest = -INFINITY;
    for (float& one : most) one = -INFINITY;
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::int64_t l = 0; l < kLanes; ++l) {
            const float a = row[i + l], b = most[l];
            most[l] = ((a > b) | (a != a)) ? a : b;
        }
    for (const float one : most) largest = larger(one, largest) ? one : largest;
    for (; i < count; ++i) largest = larger(row[i], largest) ? row[i] : largest;
    return largest;
}

}  // namespace

KURVE_CLONES void swiGlu(const float* gated, std::int64_t rows, std::int64_t width, float* y) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict g = gated + r * 2 * width, * __restrict u = g + width;
        float* __restrict out = y + r * width;
        for (std::int64_t i = 0; i < width; ++i) out[i] = g[i] * sigmoid(g[i]) * u[i];
    }
}

KURVE_CLONES void swiGluBackward(const float* gated, const float* dy, std::int64_t rows, std::int64_t width,
                                 float* gradient) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict g = gated + r * 2 * width, * __restrict u = g + width, * __restrict d = dy + r * width;
        float* __restrict dg = gradient + r * 2 * width, * __restrict du = dg + width;
        for (std::int64_t i = 0; i < width; ++i) {
            const float s = sigmoid(g[i]);
            dg[i] = d[i] * u[i] * s * (1.0f + g[i] * (1.0f - s));
            du[i] = d[i] * g[i] * s;
        }
    }
}

// (1 + tanh u) / 2 is the sigmoid of 2 u.
constexpr float kGelu = 1.595769122f, kGeluCubic = 0.044715f;  // 2 sqrt(2 / pi)

KURVE_CLONES void geluTanh(const float* from, std::int64_t count, float* to) {
    const float* __restrict x = from;
    float* __restrict y = to;
    for (std::int64_t i = 0; i < count; ++i)
        y[i] = x[i] * sigmoid(kGelu * x[i] * (1.0f + kGeluCubic * x[i] * x[i]));
}

KURVE_CLONES void geluTanhBackward(const float* from, const float* gradient, std::int64_t count, float* to) {
    const float* __restrict x = from, * __restrict dy = gradient;
    float* __restrict dx = to;
    for (std::int64_t i = 0; i < count; ++i) {
        const float square = x[i] * x[i], s = sigmoid(kGelu * x[i] * (1.0f + kGeluCubic * square));
        const float slope = kGelu * (1.0f + 3.0f * kGeluCubic * square);
        dx[i] = dy[i] * s * (1.0f + x[i] * (1.0f - s) * slope);
    }
}

KURVE_CLONES void rmsNorm(const RmsRows& task, float epsilon, float* y, float* inverse) {
    const std::int64_t width = task.width, whole = width / kLanes * kLanes;
    const float* __restrict weight = task.weight;
    for (std::int64_t r = 0; r < task.rows; ++r) {
        const float* __restrict x = task.x + r * width;
        float* __restrict out = y + r * width;
        float part[kLanes] = {};
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t l = 0; l < kLanes; ++l) part[l] += x[i + l] * x[i + l];
        float sum = 0;
        for (std::int64_t i = whole; i < width; ++i) sum += x[i] * x[i];
        for (const float one : part) sum += one;
        const float by = 1.0f / std::sqrt(sum / static_cast<float>(width) + epsilon);
        inverse[r] = by;
        for (std::int64_t i = 0; i < width; ++i) out[i] = x[i] * by * weight[i];
    }
}

KURVE_CLONES void rmsNormBackward(const RmsRows& task, const float* inverse, const float* dy, float* dx,
                                  float* dWeight) {
    const std::int64_t width = task.width, whole = width / kLanes * kLanes;
    const float* __restrict weight = task.weight;
    float* __restrict byWeight = dWeight;
    for (std::int64_t r = 0; r < task.rows; ++r) {
        const float* __restrict x = task.x + r * width, * __restrict d = dy + r * width;
        float* __restrict out = dx + r * width;
        const float by = inverse[r];
        float part[kLanes] = {};
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t l = 0; l < kLanes; ++l) part[l] += d[i + l] * weight[i + l] * x[i + l];
        float sum = 0;
        for (std::int64_t i = whole; i < width; ++i) sum += d[i] * weight[i] * x[i];
        for (const float one : part) sum += one;
        const float along = sum * by * by / static_cast<float>(width);
        for (std::int64_t i = 0; i < width; ++i) {
            byWeight[i] += d[i] * x[i] * by;
            out[i] = by * (d[i] * weight[i] - x[i] * along);
        }
    }
}

KURVE_CLONES void softmaxRows(float* values, std::int64_t rows, std::int64_t width, float* normaliser) {
    const std::int64_t whole = width / kLanes * kLanes;
    for (std::int64_t r = 0; r < rows; ++r) {
        float* __restrict row = values + r * width;
        const float largest = largestOf(row, width);
        float part[kLanes] = {}, sum = 0;
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t l = 0; l < kLanes; ++l) part[l] += row[i + l] = fastExp(row[i + l] - largest);
        for (std::int64_t i = whole; i < width; ++i) sum += row[i] = fastExp(row[i] - largest);
        for (const float one : part) sum += one;
        const float by = 1.0f / sum;
        for (std::int64_t i = 0; i < width; ++i) row[i] *= by;
        normaliser[r] = largest + std::log(sum);
    }
}

KURVE_CLONES void updateArgmax(const float* values, std::int64_t rows, std::int64_t columns,
                               std::int64_t firstColumn, float* best, std::int64_t* index) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict row = values + r * columns;
        const float largest = largestOf(row, columns);
        if (!larger(largest, best[r])) continue;
        best[r] = largest;
        const bool isNumber = largest == largest;
        std::int64_t at = 0;
        while (isNumber ? row[at] != largest : row[at] == row[at]) ++at;
        index[r] = firstColumn + at;
    }
}

}  // namespace kurve::kernels::cpu
