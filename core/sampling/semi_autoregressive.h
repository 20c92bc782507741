#pragma once

#include <vector>

namespace kurve::sampling {

/// The positions `begin` <= i < `end`, which block-wise semi-autoregressive sampling unmasks together, each
/// block once those left of it are complete (LLaDA, Nie et al. 2025; block diffusion, Arriola et al. 2025).
struct PositionBlock {
    int begin = 0;
    int end = 0;
    bool operator==(const PositionBlock&) const = default;
};

/// The blocks of `length` positions, left to right, `size` each; the last may be shorter.
[[nodiscard]] std::vector<PositionBlock> positionBlocks(int length, int size);

/// Step `step` of the `steps` which block number `block` has: the arguments of evenBudget().
struct BlockStep {
    int block = 0;
    int step = 0;
    int steps = 1;
    bool operator==(const BlockStep&) const = default;
};

/// Where step `step`, from 0, of `steps` in all works. The blocks go left to right; their numbers of steps
/// differ by at most one. Needs steps >= blocks >= 1.
[[nodiscard]] BlockStep blockStep(int blocks, int step, int steps);

/// Tokens that MDLM's semi-autoregressive sampler gives with windows of `length`: each of `strides` runs
/// emits `stride` tokens and keeps the others as the prefix of the next, the last run emits its whole window.
[[nodiscard]] int stridedLength(int length, int strides, int stride);

}  // namespace kurve::sampling
