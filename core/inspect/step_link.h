#pragma once

#include <cstdint>

#include "core/trace/trace.h"

namespace kurve::inspect {

/// Which steps of two traces belong together.
enum class LinkBy : std::uint8_t { Step, Noise, Fraction };

/// The step of B beside a step of A: the same number (or B's last), the one of nearest log-SNR (model time
/// where log-SNR is infinite or missing), or the one at the same fraction. Both traces have steps.
[[nodiscard]] int partnerStep(const trace::Trace& a, int stepOfA, const trace::Trace& b, LinkBy by);

}  // namespace kurve::inspect
