#include <algorithm>
#include <cstring>

#include "core/kernels/random_fill/random_fill.h"
#include "core/kernels/random_fill/random_value.h"

// One source, three instruction sets, chosen by the loader; the bits are the same in all (see
// CMakeLists.txt).
#if defined(__x86_64__) && !defined(KURVE_ONE_INSTRUCTION_SET)
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

/// A vector of the compiler's own (GCC and clang): one word of each block of a group.
using Words = std::uint32_t __attribute__((vector_size(kBlocksPerGroup * sizeof(std::uint32_t))));
using WidePairs = std::uint64_t __attribute__((vector_size(sizeof(Words))));

/// The halves of 64-bit products. Even and odd lanes apart, as vector units multiply every other word.
inline void multiply(const Words& words, std::uint32_t factor, Words& high, Words& low) {
    constexpr std::uint64_t kLow = 0xFFFFFFFFu;
    WidePairs pairs, even, odd;
    std::memcpy(&pairs, &words, sizeof(pairs));
    even = (pairs & kLow) * factor;
    odd = (pairs >> 32) * factor;
    const WidePairs highs = (even >> 32) | (odd & ~kLow), lows = (even & kLow) | (odd << 32);
    std::memcpy(&high, &highs, sizeof(high));
    std::memcpy(&low, &lows, sizeof(low));
}

/// The 64 words of consecutive groups of one row, in element order: philox4x32 over lanes instead of over
/// words, in registers for all rounds. Loops over arrays leave the choice to the compiler, and clang 14 takes
/// the first round one word at a time.
KURVE_CLONES void wordGroups(Counter counter, std::uint32_t firstBlock, std::int64_t groups,
                             std::uint32_t* __restrict out) {
    const std::uint64_t first = (counter.row << 30) + firstBlock;
    const Words lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, none = {};
    for (std::int64_t g = 0; g < groups; ++g) {
        // A row has less than 2^30 blocks, so only the low half of the counter runs within a group.
        const std::uint64_t index = first + static_cast<std::uint64_t>(g) * kBlocksPerGroup;
        Words a = lanes + static_cast<std::uint32_t>(index),
              b = none + static_cast<std::uint32_t>(index >> 32),
              c = none + static_cast<std::uint32_t>(counter.step),
              d = none + static_cast<std::uint32_t>(counter.step >> 32);
        auto key0 = static_cast<std::uint32_t>(counter.key),
             key1 = static_cast<std::uint32_t>(counter.key >> 32);
        for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
            Words high0, low0, high1, low1;
            multiply(a, 0xD2511F53u, high0, low0);
            multiply(c, 0xCD9E8D57u, high1, low1);
            a = high1 ^ b ^ key0;
            c = high0 ^ d ^ key1;
            b = low1;
            d = low0;
        }
        const Words block[4] = {a, b, c, d};
        std::memcpy(out + g * kGroup, block, sizeof(block));
    }
}

KURVE_CLONES void normalGroups(const std::uint32_t* __restrict words, NormalFill op, std::int64_t groups,
                               float* __restrict out) {
    for (std::int64_t half = 0; half < 2 * groups; ++half)
#pragma clang loop vectorize(enable) unroll(disable)
        for (int j = 0; j < kBlocksPerGroup; ++j) {
            const std::int64_t first = 2 * half * kBlocksPerGroup + j, second = first + kBlocksPerGroup;
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
        const std::int64_t whole = count / kGroup, rest = count % kGroup;
        normalGroups(words, op, whole, out + first);
        if (rest == 0) return;
        float last[kGroup];
        normalGroups(words + whole * kGroup, op, 1, last);
        std::copy_n(last, rest, out + first + whole * kGroup);
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
