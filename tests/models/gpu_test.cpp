// The same numbers on CPU and CUDA, up to float tolerance. Without a device every test says why it did not
// run.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/tensor/cuda_library.h"
#include "core/tensor/device_graph.h"
#include "core/tensor/ops/banded_map.h"
#include "core/tensor/ops/energy_loss.h"
#include "core/tensor/random.h"
#include "core/tensor/replayed_call.h"
#include "core/train/trainer.h"
#include "models/common/curve_maps.h"
#include "tests/models/family_fixture.h"
#if defined(KURVE_HAS_CUDA)
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace kurve::models {
namespace {

using testing::toyConfig;

class Gpu : public ::testing::Test {
protected:
    void SetUp() override {
        const tensor::CudaLibrary& library = tensor::cudaLibrary();
        if (!library.problem.empty()) GTEST_SKIP() << library.problem;
        if (library.devices == 0) GTEST_SKIP() << "no CUDA device on this machine";
    }
};

TEST_F(Gpu, RandomNumbersHaveTheSameBits) {
    const tensor::RowStream stream{StreamId(3, "test.gpu", 1), 17};
    EXPECT_TRUE(at::equal(tensor::uniformRows({5, 333}, stream, at::kCPU),
                          tensor::uniformRows({5, 333}, stream, at::kCUDA).cpu()));
    EXPECT_TRUE(at::equal(tensor::normalRows({5, 333}, stream, at::kCPU),
                          tensor::normalRows({5, 333}, stream, at::kCUDA).cpu()));
    const at::Tensor x = at::randn({5, 333});
    EXPECT_TRUE(at::equal(tensor::dropout(x, 0.3, stream), tensor::dropout(x.cuda(), 0.3, stream).cpu()));
}

TEST_F(Gpu, BandedMapAgrees) {
    const RunConfig config = toyConfig("sclm", {{"map.rho", "2.5"}, {"map.degree", "3"}});
    CurveMaps onCpu(config, at::kCPU), onGpu(config, at::kCUDA);
    const std::vector<std::int32_t> lengths{7, 12, 3};
    const auto a = onCpu.batch(lengths, 12), b = onGpu.batch(lengths, 12);
    for (const std::int64_t width : {1, 33, 300}) {
        const at::Tensor x = at::randn({3, 12, width}).requires_grad_(),
                         y = x.detach().cuda().requires_grad_();
        const at::Tensor left = tensor::bandedMap(x, a.inverse), right = tensor::bandedMap(y, b.inverse);
        EXPECT_TRUE(at::allclose(left, right.cpu(), 1e-5, 1e-5));
        left.square().sum().backward();
        right.square().sum().backward();
        EXPECT_TRUE(at::allclose(x.grad(), y.grad().cpu(), 1e-4, 1e-4));
    }
}

TEST_F(Gpu, EnergyLossAgrees) {
    const tensor::RowStream stream{StreamId(3, "test.gpu", 2), 17};
    for (const double alpha : {0.75, 1.0, 1.5, 2.0})
        for (const std::vector<std::int64_t>& size : std::vector<std::vector<std::int64_t>>{
                 {5, 8, 100, 128}, {3, 2, 1, 1}, {2, 9, 130, 33}, {2, 16, 60, 512}, {2, 3, 20, 1000}}) {
            const at::Tensor mean = at::randn({size[0], size[3]}),
                             logStd = at::full({size[0], size[3]}, -1.0);
            at::Tensor x = at::randn({size[0], size[1], size[3]});
            x.select(1, 1).copy_(x.select(1, 0));  // a pair that coincides
            const at::Tensor a = x.clone().requires_grad_(), b = x.cuda().requires_grad_();
            const auto onCpu = tensor::energyLoss(a, {mean, logStd, size[2], stream}, alpha),
                       onGpu = tensor::energyLoss(b, {mean.cuda(), logStd.cuda(), size[2], stream}, alpha);
            EXPECT_TRUE(at::allclose(onCpu.fidelity, onGpu.fidelity.cpu(), 1e-5, 1e-6));
            EXPECT_TRUE(at::allclose(onCpu.diversity, onGpu.diversity.cpu(), 1e-5, 1e-6));
            onCpu.loss.sum().backward();
            onGpu.loss.sum().backward();
            EXPECT_TRUE(
                at::allclose(a.grad(), b.grad().cpu(), 1e-4, 1e-5 * a.grad().abs().max().item<double>()));
            const auto again = tensor::energyLoss(b, {mean.cuda(), logStd.cuda(), size[2], stream}, alpha);
            EXPECT_TRUE(at::equal(onGpu.loss, again.loss));
        }
    // Without a mean and of deviation 1 the targets are the noise: the same bits as on the CPU.
    const at::Tensor x = at::randn({3, 4, 65}), zero = at::zeros({3, 65});
    const at::Tensor y = tensor::normalRows({3 * 40, 65}, stream, at::kCPU).view({3, 40, 65});
    EXPECT_TRUE(at::equal(tensor::energyLoss(x.cuda(), {zero.cuda(), zero.cuda(), 40, stream}).loss,
                          tensor::energyLoss(x.cuda(), y.cuda()).loss));
}

/// The current one is the first: another one where there are several.
c10::Device lastGpu() {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(tensor::cudaLibrary().devices - 1)};
}

// With cuDNN's a step in bf16 takes seconds wherever the shape of a batch is new.
TEST_F(Gpu, AttentionIsNotThatOfCuDnn) {
    EXPECT_FALSE(at::globalContext().userEnabledCuDNNSDP());
}

TEST_F(Gpu, AGraphComputesWhatItsFunctionComputes) {
    const c10::InferenceMode inference;
    const at::Tensor weight = at::randn({64, 64}, lastGpu());
    int captures = 0;
    tensor::ReplayedCall call(
        [&](const tensor::ReplayedCall::Tensors& inputs) {
            return tensor::ReplayedCall::Tensors{at::matmul(inputs[0], weight).relu_().sum(1)};
        },
        [&] {
            ++captures;
            return tensor::makeDeviceGraph(lastGpu());
        });
    std::vector<at::Tensor> inputs, results;
    for (int i = 0; i < 6; ++i) {
        inputs.push_back(at::randn({32, 64}, lastGpu()));
        results.push_back(call({inputs.back()}).front());
    }
    EXPECT_EQ(captures, 1);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        EXPECT_TRUE(at::equal(results[i], at::matmul(inputs[i], weight).relu_().sum(1))) << "call " << i;
}

TEST_F(Gpu, WhatWaitsInsideAGraphThrowsAndTheNextOneWorks) {
    const at::Tensor x = at::ones({8}, at::kCUDA);
    at::Tensor twice = x + x;  // what is captured has run before
    (void)twice.sum().item<float>();
    EXPECT_ANY_THROW(
        tensor::makeDeviceGraph(x.device())->capture([&] { (void)(x + x).sum().item<float>(); }));
    const auto graph = tensor::makeDeviceGraph(x.device());
    graph->capture([&] { twice = x + x; });
    graph->replay();
    EXPECT_EQ(twice.sum().item<float>(), 16);
}

#if defined(KURVE_HAS_CUDA)
TEST_F(Gpu, MemoryOfGraphsGoesBackWithTheLastOne) {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    const c10::InferenceMode inference;
    const at::Tensor x = at::ones({std::int64_t{16} << 20}, at::kCUDA);
    (void)(x + x).min().item<float>();
    const auto reserved = [&] {
        constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
        return allocator::getDeviceStats(x.device().index()).reserved_bytes[kAll].current;
    };
    for (int round = 0; round < 2; ++round) {
        const auto before = reserved();
        at::Tensor twice, thrice;
        auto one = tensor::makeDeviceGraph(x.device()), other = tensor::makeDeviceGraph(x.device());
        one->capture([&] { twice = x + x; });
        other->capture([&] { thrice = x * 3; });
        EXPECT_GE(reserved() - before, 2 * static_cast<std::int64_t>(x.nbytes()));
        twice.reset();
        one.reset();
        other->replay();
        EXPECT_EQ(thrice.min().item<float>(), 3);
        thrice.reset();
        other.reset();
        EXPECT_EQ(reserved(), before) << "round " << round;
    }
}
#endif

class GpuFamilies : public Gpu, public ::testing::WithParamInterface<std::string> {
protected:
    static RunConfig configOf(const std::vector<Override>& settings) {
        return toyConfig(GetParam(), testing::known(GetParam(), settings));
    }
};

TEST_P(GpuFamilies, LossAndGradientsAgreeAndWeightsMove) {
    const RunConfig config = configOf({{"model.dropout", "0.1"}});
    const auto onCpu = testing::toyModel(config);
    auto onGpu = findFamily(GetParam())->create(config, testing::contextFor(GetParam(), at::kCUDA));
    ASSERT_TRUE(onGpu);
    for (std::uint64_t step = 0; step < 3; ++step) {
        const text::Batch batch = testing::batchFor(GetParam());
        const auto a = onCpu->loss(train::toDevice(batch, at::kCPU), {5, step, 0});
        const auto b = (*onGpu)->loss(train::toDevice(batch, at::kCUDA), {5, step, 0});
        EXPECT_NEAR(a.total.item<double>(), b.total.item<double>(), 1e-3 * std::abs(a.total.item<double>()));
        a.total.backward();
        b.total.backward();
    }
    const auto theirs = (*onGpu)->module().named_parameters();
    for (const auto& item : onCpu->module().named_parameters()) {
        EXPECT_TRUE(at::equal(item.value(), theirs[item.key()].cpu())) << item.key();  // same initial values
        EXPECT_TRUE(at::allclose(item.value().grad(), theirs[item.key()].grad().cpu(), 1e-2, 1e-3))
            << item.key();
    }
}

/// Losses of three training steps, and the sum of their gradients.
struct Descent {
    std::vector<double> losses;
    at::Tensor gradient;
};
Descent descent(const RunConfig& config) {
    auto model = findFamily(config.family())->create(config, testing::contextFor(config.family(), at::kCUDA));
    KURVE_CHECK(model.has_value(), "{}", model.error().text());
    Descent made;
    for (std::uint64_t step = 0; step < 3; ++step) {
        const auto batch = train::toDevice(testing::batchFor(config.family()), at::kCUDA);
        const at::Tensor loss = train::trainingLoss(**model, batch, {5, step, 0}, config).total;
        loss.backward();
        made.losses.push_back(loss.item<double>());
    }
    std::vector<at::Tensor> parts;
    for (const auto& item : (*model)->module().named_parameters()) {
        if (!item.value().requires_grad()) continue;
        EXPECT_EQ(item.value().grad().scalar_type(), at::kFloat) << item.key();
        parts.push_back(item.value().grad().flatten());
    }
    made.gradient = at::cat(parts);
    return made;
}

TEST_P(GpuFamilies, StepsInBf16FollowThoseInFp32) {
    const Override dropout{"model.dropout", "0.1"};
    const Descent full = descent(configOf({dropout})),
                  half = descent(configOf({dropout, {"train.precision", "bf16"}}));
    EXPECT_FALSE(at::equal(full.gradient, half.gradient)) << "computed in fp32";
    for (std::size_t i = 0; i < full.losses.size(); ++i)
        EXPECT_NEAR(half.losses[i], full.losses[i], 0.02 * std::abs(full.losses[i])) << i;
    EXPECT_GT(at::cosine_similarity(full.gradient, half.gradient, 0).item<double>(), 0.99);
}

TEST_P(GpuFamilies, ActivationCheckpointingChangesNoGradient) {
    for (const char* precision : {"fp32", "bf16"}) {
        const std::vector<Override> kept{{"model.dropout", "0.1"}, {"train.precision", precision}};
        std::vector<Override> again = kept;
        again.emplace_back("train.activation_checkpointing", "true");
        const Descent a = descent(configOf(kept)), b = descent(configOf(again));
        for (std::size_t i = 0; i < a.losses.size(); ++i)
            EXPECT_NEAR(a.losses[i], b.losses[i], 1e-4 * std::abs(a.losses[i])) << precision;
        // Sums by atomic additions are in another order each time.
        EXPECT_LT(((a.gradient - b.gradient).norm() / a.gradient.norm()).item<double>(), 1e-3) << precision;
    }
}

TEST_P(GpuFamilies, SamplesAgree) {
    const RunConfig config = configOf({{"sampler.noise_beam", "2"}});
    const auto onCpu = testing::toyModel(config);
    auto onGpu = findFamily(GetParam())->create(config, testing::contextFor(GetParam(), at::kCUDA));
    const train::GenerateRequest request = testing::requestFor(GetParam());
    const auto a = onCpu->generate(request, config, nullptr),
               b = (*onGpu)->generate(request, config, nullptr);
    ASSERT_TRUE(a && b);
    for (std::size_t r = 0; r < a->rows.size(); ++r) EXPECT_EQ(a->rows[r].best.ids, b->rows[r].best.ids);
}
INSTANTIATE_TEST_SUITE_P(Families, GpuFamilies, ::testing::ValuesIn(testing::familyIds()),
                         [](const auto& i) { return i.param; });

using GpuGraphs = GpuFamilies;

TEST_P(GpuGraphs, GiveTheSameTexts) {
    for (const char* conditioning : {"0", "0.5"}) {
        const auto candidates = [&](const char* graphs) {
            const RunConfig config = configOf({{"sampler.noise_beam", "2"},
                                               {"sampler.steps", "10"},
                                               {"sampler.cuda_graphs", graphs},
                                               {"diffusion.self_conditioning", conditioning}});
            auto made = findFamily(GetParam())->create(config, testing::contextFor(GetParam(), at::kCUDA));
            KURVE_CHECK(made.has_value(), "{}", made.error().text());
            const auto generated =
                (*made)->generate(testing::requestFor(GetParam()), config, /*maybeTrace=*/nullptr);
            KURVE_CHECK(generated.has_value(), "{}", generated.error().text());
            std::string text = fmt::format("{} calls\n", generated->networkCalls);
            for (const auto& row : generated->rows)
                for (const auto& candidate : row.candidates)
                    text += fmt::format("{} {}\n", candidate.score, fmt::join(candidate.ids, " "));
            return text;
        };
        EXPECT_EQ(candidates("true"), candidates("false"));
    }
}
// Of those with sampler.cuda_graphs.
INSTANTIATE_TEST_SUITE_P(Families, GpuGraphs, ::testing::Values("diffusia", "difformer", "sclm"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace kurve::models
