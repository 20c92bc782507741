#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kurve::train {

/// A fixed set of threads that do one thing together: run(work) calls work(0) on the calling thread and
/// work(1) … work(n-1) on the pool's, and returns when all are done; the first exception is rethrown. One
/// caller at a time.
class ReplicaPool {
public:
    ReplicaPool(int replicas, int threadsEach);
    ~ReplicaPool();
    ReplicaPool(const ReplicaPool&) = delete;
    ReplicaPool& operator=(const ReplicaPool&) = delete;

    void run(const std::function<void(int)>& work);
    [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

private:
    void loop(int replica, int threadsEach);
    void perform(int replica);

    std::mutex mutex_;
    std::condition_variable start_, done_;
    const std::function<void(int)>* work_ = nullptr;  // guarded by mutex_
    std::uint64_t round_ = 0;                         // guarded by mutex_
    int running_ = 0;                                 // guarded by mutex_
    bool closing_ = false;                            // guarded by mutex_
    std::exception_ptr failure_;                      // guarded by mutex_
    std::vector<std::thread> threads_;
};

}  // namespace kurve::train
