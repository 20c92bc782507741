#include "core/train/compute_thread.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

namespace kurve::train {

void settleVectorMath() {
    static const at::Tensor once = at::tanh(at::zeros({1}));
}

void prepareComputeThread(int threads) {
    settleVectorMath();
    at::set_num_threads(threads);
    at::globalContext().setFlushDenormal(true);
}

}  // namespace kurve::train
