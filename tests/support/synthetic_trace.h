#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::test {

/// A synthetic trace with the structure of a real one: a sentence as points of a random vocabulary, an
/// estimate that drifts from the vocabulary's mean to those points at a rate per position, and
/// everything that follows from the distances (tokens, candidates, confidence, entropy, margin, states).
/// Deterministic.
struct SyntheticTrace {
    int words = 0;  ///< positions, BOS and EOS included; 0 = as many as the built-in sentence has
    int steps = 20;
    int vocabulary = 120;
    int dims = 32;
    bool curve = true;  ///< with control points, Psi, Greville abscissae and word positions (rho 2, degree 2)
    std::uint64_t seed = 7;
};
[[nodiscard]] trace::Trace syntheticTrace(const SyntheticTrace& spec = {});

}  // namespace kurve::test
