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
/// of memory, for that of a graph that is gone would else stay reserved.
struct CaptureSite {
    explicit CaptureSite(c10::DeviceIndex index)
        : stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index)), pool(newPool()) {
        allocator::createOrIncrefPool(index, pool);
    }
    ~CaptureSite() { allocator::releasePool(stream.device_index(), pool); }
    CaptureSite(const CaptureSite&) = delete;
    CaptureSite& operator=(const CaptureSite&) = delete;

    c10::cuda::CUDAStream stream;
    c10::MempoolId_t pool;
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
        const c10::cuda::CUDAGuard guard(index());
        // The last replay may still run.
        C10_CUDA_CHECK_WARN(cudaStreamSynchronize(current().stream()));
        if (graph_ != nullptr) C10_CUDA_CHECK_WARN(cudaGraphExecDestroy(graph_));
        allocator::releasePool(index(), site_.pool);
    }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    void capture(const std::function<void()>& work) override {
        KURVE_CHECK(!holdsPool_, "a graph is captured twice");
        const c10::cuda::CUDAStreamGuard guard(site_.stream);
        const cudaStream_t stream = site_.stream.stream();
        allocator::beginAllocateToPool(index(), site_.pool,
                                       [stream](cudaStream_t asking) { return asking == stream; });
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
        allocator::endAllocateToPool(index(), site_.pool);
        const cudaError_t made = cudaGraphInstantiate(&graph_, captured, 0);
        C10_CUDA_CHECK_WARN(cudaGraphDestroy(captured));
        C10_CUDA_CHECK(made);
    }

    void replay() override {
        KURVE_CHECK(graph_ != nullptr, "a graph that was not captured");
        // The default stream is null on every device: a launch goes to the one that is current.
        const c10::cuda::CUDAGuard guard(index());
        C10_CUDA_CHECK(cudaGraphLaunch(graph_, current().stream()));
    }

private:
    [[nodiscard]] c10::DeviceIndex index() const { return site_.stream.device_index(); }
    [[nodiscard]] c10::cuda::CUDAStream current() const { return c10::cuda::getCurrentCUDAStream(index()); }
    /// So that the stream and the allocator work again.
    void endFailed(cudaStream_t stream) const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraph_t part = nullptr;
        if (cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone &&
            cudaStreamEndCapture(stream, &part) == cudaSuccess)
            C10_CUDA_CHECK_WARN(cudaGraphDestroy(part));
        (void)cudaGetLastError();  // of the capture that has failed
        allocator::endAllocateToPool(index(), site_.pool);
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
