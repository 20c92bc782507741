#include "core/tensor/meta_memory.h"

#include <c10/core/Allocator.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>

#include "core/tensor/meta_kernels.h"

namespace kurve::tensor {
namespace {

std::atomic<std::int64_t> liveBytes{0}, peakBytes{0};

void forget(void* bytes) {
    liveBytes -= reinterpret_cast<std::intptr_t>(bytes);
}

/// Gives no memory, like torch's own for "meta", and counts the requested bytes.
struct CountingAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t bytes) override {
        const std::int64_t now = liveBytes += static_cast<std::int64_t>(bytes);
        std::int64_t known = peakBytes;
        while (known < now && !peakBytes.compare_exchange_weak(known, now)) {
        }
        return {nullptr, reinterpret_cast<void*>(bytes), &forget, c10::Device(c10::kMeta)};
    }
    void copy_data(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) const override {}
};

std::mutex& meterMutex() {
    static std::mutex mutex;
    return mutex;
}

/// Of every operation that takes a device.
void onMeta(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto& arguments = op.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].name() == "device")
            torch::jit::peek(*stack, i, arguments.size()) = c10::Device(c10::kMeta);
    op.redispatchBoxed(
        keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::DeferredInit), stack);
}

TORCH_LIBRARY_IMPL(_, DeferredInit, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&onMeta>());
}

}  // namespace

MetaMemory::MetaMemory() : only_(meterMutex()) {
    static CountingAllocator counting;
    static const bool installed = [] {
        c10::SetAllocator(c10::kMeta, &counting, /*priority=*/1);
        return addMetaKernels();
    }();
    (void)installed;
    before_ = liveBytes;
    resetPeak();
}

std::int64_t MetaMemory::live() const {
    return liveBytes - before_;
}

std::int64_t MetaMemory::peak() const {
    return peakBytes - before_;
}

void MetaMemory::resetPeak() {
    peakBytes = liveBytes.load();
}

}  // namespace kurve::tensor
