#include "core/distributed/detail/reduction_thread.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>

#include <utility>

namespace kurve::distributed::detail {
namespace {

/// Keeps the operations of this thread on one core. at::set_num_threads() would change the number of all
/// threads that begin later, c10::ParallelGuard changes none. LibTorch brings the OpenMP library along,
/// another one than this compiler's may be.
void computeOnOneCore() {
    (void)at::get_num_threads();  // the first call in a thread sets its number
    using SetThreads = void (*)(int);
    if (const auto set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

}  // namespace

ReductionThread::ReductionThread() : thread_([this] { loop(); }) {}

ReductionThread::~ReductionThread() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ReductionThread::start(std::function<void()> reduction) {
    {
        const std::lock_guard lock(mutex_);
        reductions_.push_back(std::move(reduction));
    }
    changed_.notify_all();
}

void ReductionThread::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reductions_.empty(); });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool ReductionThread::idle() {
    const std::lock_guard lock(mutex_);
    return reductions_.empty();
}

void ReductionThread::loop() {
    at::globalContext().setFlushDenormal(true);  // as the threads that compute: sums have the same bits
    computeOnOneCore();                          // on the others the backward pass goes on
    const c10::NoGradGuard noGrad;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || !reductions_.empty(); });
        if (closing_) return;
        const std::function<void()>& reduce = reductions_.front();  // start() moves none of them
        lock.unlock();
        std::exception_ptr failure;
        try {
            reduce();
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure) {
            failure_ = failure;
            reductions_.clear();
        } else {
            reductions_.pop_front();
        }
        changed_.notify_all();
    }
}

}  // namespace kurve::distributed::detail
