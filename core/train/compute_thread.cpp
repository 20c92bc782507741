#include "core/train/compute_thread.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

namespace kurve::train {

void prepareComputeThread(int threads) {
    at::set_num_threads(threads);
    at::globalContext().setFlushDenormal(true);
}

}  // namespace kurve::train
