#pragma once

namespace kurve::train {

/// Prepares the calling thread for arithmetic: `threads` for work inside one operation, and denormals flushed
/// to zero (gradients that fade away cost 10-100 times as much otherwise). Every thread that runs torch code
/// calls it first: all three settings belong to the thread, not to the process.
void prepareComputeThread(int threads);

}  // namespace kurve::train
