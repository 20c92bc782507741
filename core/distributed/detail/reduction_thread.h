#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace kurve::distributed::detail {

/// Reduces blocks one after the other while those who gave them compute on.
class ReductionThread {
public:
    explicit ReductionThread(std::function<void(const at::Tensor& block)> reduce);
    /// Lets the one that runs end; those that wait for it are dropped.
    ~ReductionThread();
    ReductionThread(const ReductionThread&) = delete;
    ReductionThread& operator=(const ReductionThread&) = delete;

    void start(at::Tensor block);
    /// Waits for all. Rethrows what a reduction has thrown; then none is left.
    void finish();
    [[nodiscard]] bool idle();

private:
    void loop();
    const std::function<void(const at::Tensor&)> reduce_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<at::Tensor> blocks_;  // the first is being reduced
    std::exception_ptr failure_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace kurve::distributed::detail
