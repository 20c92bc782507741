#include "core/sampling/semi_autoregressive.h"

#include <algorithm>
#include <cstdint>

#include "core/base/check.h"

namespace kurve::sampling {

std::vector<PositionBlock> positionBlocks(int length, int size) {
    KURVE_CHECK(length >= 0 && size >= 1, "blocks of {} in {} positions", size, length);
    std::vector<PositionBlock> blocks;
    for (int begin = 0; begin < length;) {
        const int end = begin + std::min(size, length - begin);  // begin + size may overflow
        blocks.push_back({begin, end});
        begin = end;
    }
    return blocks;
}

BlockStep blockStep(int blocks, int step, int steps) {
    KURVE_CHECK(blocks >= 1 && steps >= blocks && step >= 0 && step < steps, "step {} of {} for {} blocks",
                step, steps, blocks);
    const auto firstOf = [&](std::int64_t block) {
        return static_cast<int>((block * steps + blocks - 1) / blocks);
    };
    const auto block = static_cast<int>(std::int64_t{step} * blocks / steps);
    const int first = firstOf(block);
    return {.block = block, .step = step - first, .steps = firstOf(block + 1) - first};
}

int stridedLength(int length, int strides, int stride) {
    KURVE_CHECK(strides >= 0 && stride >= 1 && stride <= length, "stride {} in a window of {}", stride,
                length);
    return length + strides * stride;
}

}  // namespace kurve::sampling
