#include <algorithm>

#include "core/kernels/random_fill/random_fill.h"
#include "core/kernels/random_fill/random_value.h"

// One source, three instruction sets, chosen by the loader; the bits are the same in all (see
// CMakeLists.txt).
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define KURVE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KURVE_CLONES
#endif

namespace kurve::kernels::cpu {
namespace {

using detail::kBlocksPerGroup;
using detail::kGroup;

struct Counter {
    std::uint64_t key, step, row;
};

/// The 64 words of consecutive groups of one row, in element order: philox4x32 over lanes instead of over
/// words, the form that compilers turn into vectors.
KURVE_CLONES void wordGroups(Counter counter, std::uint32_t firstBlock, std::int64_t groups,
                             std::uint32_t* __restrict out) {
    const std::uint64_t first = (counter.row << 30) + firstBlock;
    for (std::int64_t g = 0; g < groups; ++g) {
        std::uint32_t* __restrict a = out + g * kGroup;
        std::uint32_t* __restrict b = a + kBlocksPerGroup;
        std::uint32_t* __restrict c = b + kBlocksPerGroup;
        std::uint32_t* __restrict d = c + kBlocksPerGroup;
        // A row has less than 2^30 blocks, so only the low half of the counter runs within a group.
        const std::uint64_t index = first + static_cast<std::uint64_t>(g) * kBlocksPerGroup;
        for (int j = 0; j < kBlocksPerGroup; ++j)
            a[j] = static_cast<std::uint32_t>(index) + static_cast<std::uint32_t>(j);
        for (int j = 0; j < kBlocksPerGroup; ++j) b[j] = static_cast<std::uint32_t>(index >> 32);
        for (int j = 0; j < kBlocksPerGroup; ++j) c[j] = static_cast<std::uint32_t>(counter.step);
        for (int j = 0; j < kBlocksPerGroup; ++j) d[j] = static_cast<std::uint32_t>(counter.step >> 32);
        auto key0 = static_cast<std::uint32_t>(counter.key),
             key1 = static_cast<std::uint32_t>(counter.key >> 32);
        for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u)
#pragma clang loop vectorize(enable) unroll(disable)
            for (int j = 0; j < kBlocksPerGroup; ++j) {
                const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * a[j],
                                    p1 = std::uint64_t{0xCD9E8D57u} * c[j];
                a[j] = static_cast<std::uint32_t>(p1 >> 32) ^ b[j] ^ key0;
                b[j] = static_cast<std::uint32_t>(p1);
                c[j] = static_cast<std::uint32_t>(p0 >> 32) ^ d[j] ^ key1;
                d[j] = static_cast<std::uint32_t>(p0);
            }
    }
}

KURVE_CLONES void normalGroup(const std::uint32_t* __restrict words, NormalFill op, float* __restrict out) {
    for (int half = 0; half < 2; ++half)
#pragma clang loop vectorize(enable) unroll(disable)
        for (int j = 0; j < kBlocksPerGroup; ++j) {
            const int first = 2 * half * kBlocksPerGroup + j, second = first + kBlocksPerGroup;
            const detail::NormalPair pair = detail::normalsOf(words[first], words[second]);
            out[first] = op.mean + op.stddev * pair.first;
            out[second] = op.mean + op.stddev * pair.second;
        }
}

KURVE_CLONES void dropout(const std::uint32_t* words, std::uint32_t threshold, float scale, std::int64_t n,
                          const float* input, float* out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = input[i] * (words[i] < threshold ? 0.0f : scale);
}

KURVE_CLONES void addDropout(const std::uint32_t* words, std::uint32_t threshold, float scale, std::int64_t n,
                             const float* input, const float* residual, float* out) {
    for (std::int64_t i = 0; i < n; ++i)
        out[i] = residual[i] + input[i] * (words[i] < threshold ? 0.0f : scale);
}

/// Calls consume(words, first element of the block, count) for chunks of every row.
template <class Consume>
void forChunks(const RandomRows& rows, const Consume& consume) {
    constexpr std::int64_t kGroups = 16;  // words of one chunk stay in the first-level cache
    alignas(64) std::uint32_t words[kGroups * kGroup];
    for (std::int64_t r = 0; r < rows.rows; ++r) {
        const Counter counter{rows.key, rows.step, rows.firstRow + static_cast<std::uint64_t>(r)};
        for (std::int64_t e = 0; e < rows.rowLength; e += kGroups * kGroup) {
            const std::int64_t count = std::min(rows.rowLength - e, kGroups * kGroup);
            wordGroups(counter, static_cast<std::uint32_t>(e / 4), (count + kGroup - 1) / kGroup, words);
            consume(words, r * rows.rowLength + e, count);
        }
    }
}

}  // namespace

void fill(const RandomRows& block, const UniformFill&, float* out) {
    forChunks(block, [out](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) out[first + i] = detail::uniformOf(words[i]);
    });
}

void fill(const RandomRows& block, const NormalFill& op, float* out) {
    forChunks(block, [&op, out](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
        std::int64_t i = 0;
        for (; i + kGroup <= count; i += kGroup) normalGroup(words + i, op, out + first + i);
        if (i == count) return;
        float last[kGroup];
        normalGroup(words + i, op, last);
        std::copy_n(last, count - i, out + first + i);
    });
}

void fill(const RandomRows& block, const DropoutFill& op, float* out) {
    const std::uint32_t threshold = detail::dropThreshold(op.rate);
    const float scale = 1.0f / (1.0f - op.rate);
    forChunks(block, [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
        if (op.residual != nullptr)
            addDropout(words, threshold, scale, count, op.input + first, op.residual + first, out + first);
        else
            dropout(words, threshold, scale, count, op.input + first, out + first);
    });
}

}  // namespace kurve::kernels::cpu
