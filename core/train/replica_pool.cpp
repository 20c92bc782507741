#include "core/train/replica_pool.h"

#include "core/train/compute_thread.h"

namespace kurve::train {

ReplicaPool::ReplicaPool(int replicas, int threadsEach) {
    settleVectorMath();  // else by two of them at once
    for (int r = 1; r < replicas; ++r)
        threads_.emplace_back([this, r, threadsEach] { loop(r, threadsEach); });
}

ReplicaPool::~ReplicaPool() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    start_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void ReplicaPool::run(const std::function<void(int)>& work) {
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        failure_ = nullptr;
        running_ = static_cast<int>(threads_.size());
        ++round_;
    }
    start_.notify_all();
    perform(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    work_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
}

void ReplicaPool::perform(int replica) {
    try {
        (*work_)(replica);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
}

void ReplicaPool::loop(int replica, int threadsEach) {
    prepareComputeThread(threadsEach);
    std::uint64_t seen = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            start_.wait(lock, [&] { return closing_ || round_ != seen; });
            if (closing_) return;
            seen = round_;
        }
        perform(replica);
        const std::lock_guard lock(mutex_);
        if (--running_ == 0) done_.notify_one();
    }
}

}  // namespace kurve::train
