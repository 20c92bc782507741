#pragma once

#include <atomic>
#include <memory>

namespace kurve {

/// Copyable view of one stop request. All members are lock-free and callable from any thread and from signal
/// handlers.
class CancelToken {
public:
    CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    void request() const noexcept { flag_->store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool requested() const noexcept { return flag_->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace kurve
