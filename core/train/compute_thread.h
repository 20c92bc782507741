#pragma once

namespace kurve::train {

/// To be called before a second thread computes. At its first call of any kind MKL's vector mathematics
/// (tanh, exp, …) stores the processor's kind twice, first in another numbering: a thread that calls in
/// between takes kernels that round otherwise, for that call (github.com/pytorch/pytorch/issues/188792; MKL
/// before 2025).
void settleVectorMath();

/// Prepares the calling thread for arithmetic: `threads` for work inside one operation, and denormals flushed
/// to zero (gradients that fade away cost 10-100 times as much otherwise). Every thread that runs torch code
/// calls it first; of several numbers LibTorch gives a thread that begins to compute the one set last.
void prepareComputeThread(int threads);

}  // namespace kurve::train
