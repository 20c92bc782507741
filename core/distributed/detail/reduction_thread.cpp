#include "core/distributed/detail/reduction_thread.h"

#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <c10/util/ParallelGuard.h>

#include <utility>

namespace kurve::distributed::detail {

ReductionThread::ReductionThread(std::function<void(const at::Tensor&)> reduce)
    : reduce_(std::move(reduce)), thread_([this] { loop(); }) {}

ReductionThread::~ReductionThread() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ReductionThread::start(at::Tensor block) {
    {
        const std::lock_guard lock(mutex_);
        blocks_.push_back(std::move(block));
    }
    changed_.notify_all();
}

void ReductionThread::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return blocks_.empty(); });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool ReductionThread::idle() {
    const std::lock_guard lock(mutex_);
    return blocks_.empty();
}

void ReductionThread::loop() {
    at::globalContext().setFlushDenormal(true);  // as the threads that compute: sums have the same bits
    const c10::ParallelGuard oneThread(true);    // the others compute
    const c10::NoGradGuard noGrad;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || !blocks_.empty(); });
        if (closing_) return;
        const at::Tensor block = blocks_.front();
        lock.unlock();
        std::exception_ptr failure;
        try {
            reduce_(block);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure) {
            failure_ = failure;
            blocks_.clear();
        } else {
            blocks_.pop_front();
        }
        changed_.notify_all();
    }
}

}  // namespace kurve::distributed::detail
