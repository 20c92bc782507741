#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace kurve::distributed::detail {

/// Makes reductions one after the other while those who gave them compute on.
class ReductionThread {
public:
    ReductionThread();
    /// Lets the one that runs end; those that wait for it are dropped.
    ~ReductionThread();
    ReductionThread(const ReductionThread&) = delete;
    ReductionThread& operator=(const ReductionThread&) = delete;

    void start(std::function<void()> reduction);
    /// Waits for all. Rethrows what a reduction has thrown; then none is left.
    void finish();
    [[nodiscard]] bool idle();

private:
    void loop();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> reductions_;  // the first is being made
    std::exception_ptr failure_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace kurve::distributed::detail
