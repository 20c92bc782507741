#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <mutex>

namespace kurve::tensor {

/// What tensors of the device "meta" (shapes without data) would take, in bytes, while this lives: of
/// programs that run on them as on any device. One at a time in a process; others wait for it.
class MetaMemory {
public:
    MetaMemory();
    MetaMemory(const MetaMemory&) = delete;
    MetaMemory& operator=(const MetaMemory&) = delete;

    [[nodiscard]] std::int64_t live() const;  ///< now
    [[nodiscard]] std::int64_t peak() const;  ///< the most since resetPeak()
    void resetPeak();

private:
    std::unique_lock<std::mutex> only_;
    std::int64_t before_ = 0;  // live tensors from elsewhere
};

/// While it lives every tensor that this thread makes is on "meta", also where the maker wants the CPU: to
/// build a module without its memory.
class MadeOnMeta {
public:
    MadeOnMeta() : key_(c10::DispatchKey::DeferredInit) {}

private:
    c10::impl::IncludeDispatchKeyGuard key_;
};

}  // namespace kurve::tensor
