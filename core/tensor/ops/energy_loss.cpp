#include "core/tensor/ops/energy_loss.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "core/base/check.h"
#include "core/kernels/energy_loss/energy_loss.h"
#if defined(KURVE_HAS_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace kurve::tensor {
namespace {

/// Either y, or mean and deviation with the noise that makes them targets.
struct TargetData {
    at::Tensor y, mean, deviation, numbers;
    std::int64_t samples = 0;
    kernels::RandomRows noise;
};

void checkTargets(const at::Tensor& x, const at::Tensor& targets, at::IntArrayRef shape) {
    KURVE_CHECK(targets.sizes() == shape && targets.scalar_type() == x.scalar_type() &&
                    targets.device() == x.device(),
                "targets of {} on {} for samples of {} on {}, or of another shape",
                c10::toString(targets.scalar_type()), targets.device().str(), c10::toString(x.scalar_type()),
                x.device().str());
}

template <class Real>
kernels::EnergyTask<Real> taskOf(const at::Tensor& x, const TargetData& targets, double alpha) {
    kernels::EnergyTask<Real> task;
    task.positions = x.size(0);
    task.samples = x.size(1);
    task.targets = targets.samples;
    task.width = x.size(2);
    task.alpha = alpha;
    task.x = x.const_data_ptr<Real>();
    if (targets.y.defined()) {
        task.y = targets.y.const_data_ptr<Real>();
    } else {
        task.mean = targets.mean.const_data_ptr<Real>();
        task.deviation = targets.deviation.const_data_ptr<Real>();
    }
    if (targets.numbers.defined()) task.numbers = targets.numbers.const_data_ptr<std::int64_t>();
    task.noise = targets.noise;
    return task;
}

struct EnergyBuffers {
    at::Tensor fidelity, diversity, gradient;  ///< the last may be undefined

    template <class Real>
    [[nodiscard]] kernels::EnergyResult<Real> pointers() const {
        return {fidelity.mutable_data_ptr<Real>(), diversity.mutable_data_ptr<Real>(),
                gradient.defined() ? gradient.mutable_data_ptr<Real>() : nullptr};
    }
};

void energyOnCpu(const kernels::EnergyTask<float>& task, const kernels::EnergyResult<float>& result) {
    constexpr std::int64_t kGrain =
        1 << 15;  // differences; below this a second thread costs more than it gives
    const std::int64_t work = std::max<std::int64_t>(1, task.samples * task.targets * task.width);
    at::parallel_for(
        0, task.positions, std::max<std::int64_t>(1, kGrain / work),
        [&](std::int64_t begin, std::int64_t end) { kernels::cpu::energyLoss(task, begin, end, result); });
}

EnergyBuffers computedEnergy(const at::Tensor& samples, const TargetData& targets, double alpha,
                             bool wantsGradient) {
    const at::Tensor x = samples.contiguous();
    EnergyBuffers out{at::empty({x.size(0)}, x.options()), at::empty({x.size(0)}, x.options()),
                      wantsGradient ? at::empty_like(x) : at::Tensor()};
    if (x.is_meta() || x.size(0) == 0) return out;
    if (x.scalar_type() == at::kDouble) {
        KURVE_CHECK(x.is_cpu(), "f64 goes through the CPU's reference, got {}", x.device().str());
        kernels::reference::energyLoss(taskOf<double>(x, targets, alpha), out.pointers<double>());
        return out;
    }
    const kernels::EnergyTask<float> task = taskOf<float>(x, targets, alpha);
    if (x.is_cpu()) {
        energyOnCpu(task, out.pointers<float>());
        return out;
    }
#if defined(KURVE_HAS_CUDA)
    const c10::cuda::CUDAGuard guard(x.device());
    const auto stream = c10::cuda::getCurrentCUDAStream(x.device().index());
    C10_CUDA_CHECK(
        static_cast<cudaError_t>(kernels::cuda::energyLoss(task, out.pointers<float>(), stream.stream())));
#else
    KURVE_CHECK(x.is_cpu(), "this build has no kernels for {}", x.device().str());
#endif
    return out;
}

struct EnergyLossOp : torch::autograd::Function<EnergyLossOp> {
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                  const at::Tensor& x, const TargetData& targets,
                                                  double alpha) {
        const EnergyBuffers made = computedEnergy(x, targets, alpha, true);
        context->save_for_backward({made.gradient});
        context->mark_non_differentiable({made.fidelity, made.diversity});
        return {made.fidelity * 2 - made.diversity, made.fidelity, made.diversity};
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        return {context->get_saved_variables()[0] * gradient[0].view({-1, 1, 1}), {}, {}};
    }
};

EnergyLoss energyOf(const at::Tensor& x, const TargetData& targets, double alpha) {
    KURVE_CHECK(targets.samples >= 1 && alpha > 0 && alpha <= 2, "{} targets, alpha {}", targets.samples,
                alpha);
    if (x.requires_grad() && at::GradMode::is_enabled()) {
        const auto made = EnergyLossOp::apply(x, targets, alpha);
        return {made[0], made[1], made[2]};
    }
    const EnergyBuffers made = computedEnergy(x, targets, alpha, false);
    return {made.fidelity * 2 - made.diversity, made.fidelity, made.diversity};
}

void checkSamples(const at::Tensor& x) {
    KURVE_CHECK(
        (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble) && x.dim() == 3 && x.size(1) >= 2,
        "needs f32 [positions, 2 or more samples, width], got {} dims of {}", x.dim(),
        c10::toString(x.scalar_type()));
}

}  // namespace

EnergyLoss energyLoss(const at::Tensor& x, const EnergyTargets& targets, double alpha) {
    checkSamples(x);
    checkTargets(x, targets.mean, {x.size(0), x.size(2)});
    checkTargets(x, targets.logStd, {x.size(0), x.size(2)});
    TargetData data;
    data.mean = targets.mean.detach().contiguous();
    data.deviation = targets.logStd.detach().exp().contiguous();
    data.samples = targets.samples;
    if (targets.numbers.defined()) data.numbers = targets.numbers.contiguous();
    data.noise = {targets.stream.id.key, targets.stream.id.step, targets.stream.firstRow, 1, 0};
    return energyOf(x, data, alpha);
}

EnergyLoss energyLoss(const at::Tensor& x, const at::Tensor& y, double alpha) {
    checkSamples(x);
    checkTargets(x, y, {x.size(0), y.size(1), x.size(2)});
    TargetData data;
    data.y = y.detach().contiguous();
    data.samples = y.size(1);
    return energyOf(x, data, alpha);
}

}  // namespace kurve::tensor
