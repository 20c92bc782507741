#include "core/tensor/device_graph.h"

#include "core/base/check.h"
#if defined(KURVE_HAS_CUDA)
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <atomic>
#include <map>
#endif

namespace kurve::tensor {

#if defined(KURVE_HAS_CUDA)
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

c10::MempoolId_t newPool() {
    static std::atomic<c10::CaptureId_t> next{std::uint64_t{1} << 32};  // torch's own graphs count from 1
    return {0, next++};
}

/// Where a thread captures. One stream, for cuBLAS keeps a workspace for each that it has seen; and one pool
/// of memory for the graphs that live, which goes back to the GPU with the last of them.
class CaptureSite {
public:
    explicit CaptureSite(c10::DeviceIndex index)
        : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index)) {}

    [[nodiscard]] c10::cuda::CUDAStream stream() const { return stream_; }
    [[nodiscard]] c10::DeviceIndex index() const { return stream_.device_index(); }
    /// What the stream allocates is the pool's until endAllocation(). One release() each.
    void beginAllocation() {
        if (graphs_ == 0) pool_ = newPool();  // the allocator takes none again that was released
        allocator::beginAllocateToPool(
            index(), pool_, [own = stream_.stream()](cudaStream_t asking) { return asking == own; });
        ++graphs_;
    }
    void endAllocation() const { allocator::endAllocateToPool(index(), pool_); }
    void release() {
        allocator::releasePool(index(), pool_);
        --graphs_;
    }
    /// What was released would stay reserved until the GPU is full. Throws where the GPU has failed.
    void freeReleased() const {
        if (graphs_ == 0) allocator::emptyCache(pool_);
    }

private:
    c10::cuda::CUDAStream stream_;
    c10::MempoolId_t pool_{0, 0};
    int graphs_ = 0;
};

CaptureSite& siteOf(c10::DeviceIndex index) {
    thread_local std::map<c10::DeviceIndex, CaptureSite> sites;
    return sites.try_emplace(index, index).first->second;
}

/// at::cuda::CUDAGraph does the same, but it is in libtorch_cuda, which no program links to, and it updates
/// the state of torch's generator, which fails once that was made in inference mode.
class CudaGraph : public DeviceGraph {
public:
    explicit CudaGraph(c10::DeviceIndex index) : site_(siteOf(index)) {}
    ~CudaGraph() override {
        if (!holdsPool_) return;
        const c10::cuda::CUDAGuard guard(site_.index());
        const cudaError_t lastReplay = cudaStreamSynchronize(current().stream());  // it may still run
        C10_CUDA_CHECK_WARN(lastReplay);
        if (graph_ != nullptr) C10_CUDA_CHECK_WARN(cudaGraphExecDestroy(graph_));
        site_.release();
        if (lastReplay == cudaSuccess) site_.freeReleased();
    }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    void capture(const std::function<void()>& work) override {
        KURVE_CHECK(!holdsPool_, "a graph is captured twice");
        const c10::cuda::CUDAStreamGuard guard(site_.stream());
        const cudaStream_t stream = site_.stream().stream();
        site_.beginAllocation();
        holdsPool_ = true;
        cudaGraph_t captured = nullptr;
        try {
            // Other threads may go on to use the GPU.
            C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            work();
            C10_CUDA_CHECK(cudaStreamEndCapture(stream, &captured));
        } catch (...) {
            endFailed(stream);
            throw;
        }
        site_.endAllocation();
        const cudaError_t made = cudaGraphInstantiate(&graph_, captured, 0);
        C10_CUDA_CHECK_WARN(cudaGraphDestroy(captured));
        C10_CUDA_CHECK(made);
    }

    void replay() override {
        KURVE_CHECK(graph_ != nullptr, "a graph that was not captured");
        // The default stream is null on every device: a launch goes to the one that is current.
        const c10::cuda::CUDAGuard guard(site_.index());
        C10_CUDA_CHECK(cudaGraphLaunch(graph_, current().stream()));
    }

private:
    [[nodiscard]] c10::cuda::CUDAStream current() const {
        return c10::cuda::getCurrentCUDAStream(site_.index());
    }
    /// So that the stream and the allocator work again.
    void endFailed(cudaStream_t stream) const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraph_t part = nullptr;
        if (cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone &&
            cudaStreamEndCapture(stream, &part) == cudaSuccess)
            C10_CUDA_CHECK_WARN(cudaGraphDestroy(part));
        (void)cudaGetLastError();  // of the capture that has failed
        site_.endAllocation();
    }

    CaptureSite& site_;
    cudaGraphExec_t graph_ = nullptr;
    bool holdsPool_ = false;
};

}  // namespace

std::unique_ptr<DeviceGraph> makeDeviceGraph(c10::Device device) {
    KURVE_CHECK(device.is_cuda() && device.has_index(), "no graph for {}", device.str());
    return std::make_unique<CudaGraph>(device.index());
}
#else
std::unique_ptr<DeviceGraph> makeDeviceGraph(c10::Device device) {
    KURVE_CHECK(false, "this build has no graph for {}", device.str());
}
#endif

}  // namespace kurve::tensor
