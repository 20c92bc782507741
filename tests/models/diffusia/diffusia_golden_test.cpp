// The networks of DiffuSIA, DiffuED and DiffuSeq in float64 against tests/golden/networks/diffusia.py:
// predictions, losses, gradients of all parameters, sampling runs; and what core/diffusion has for them.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "core/diffusion/gaussian_process.h"
#include "core/diffusion/gaussian_target.h"
#include "core/diffusion/reverse_sampler.h"
#include "models/common/padding.h"
#include "models/diffusia/diffusia_net.h"
#include "models/diffusia/losses.h"
#include "tests/models/golden_numbers.h"

namespace kurve::models::diffusia {
namespace {

using nlohmann::json;
using testing::expectClose;
using testing::expectGradient;
using testing::goldenNetwork;
using testing::tensorOf;

const json& golden() {
    return goldenNetwork("diffusia.json");
}

std::int64_t size(const char* name) {
    return golden().at("sizes").at(name);
}

std::shared_ptr<const schedule::NoiseSchedule> scheduleOf(std::int64_t steps) {
    return std::move(*schedule::makeSchedule("sqrt", {{"steps", std::to_string(steps)}}));
}

NetSizes sizesOf(const json& of) {
    static const std::map<std::string, NetworkKind> kKinds{{"ed", NetworkKind::Diffused},
                                                           {"sia", NetworkKind::Diffusia},
                                                           {"without_si", NetworkKind::WithoutSi},
                                                           {"diffuseq", NetworkKind::Diffuseq}};
    static const std::map<std::string, SelfConditioning> kForms{{"none", SelfConditioning::None},
                                                                {"A", SelfConditioning::Sum},
                                                                {"C", SelfConditioning::Concatenation},
                                                                {"fused", SelfConditioning::Fused}};
    NetSizes sizes{.kind = kKinds.at(of.at("network")),
                   .sourceVocabulary = size("vocabulary"),
                   .targetVocabulary = size("vocabulary"),
                   .hidden = size("hidden"),
                   .latent = size("latent"),
                   .heads = size("heads"),
                   .ffn = size("ffn"),
                   .encoderLayers = of.at("encoder_layers"),
                   .decoderLayers = of.at("decoder_layers"),
                   .conditionLength = size("condition_length"),
                   .targetLength = size("target_length"),
                   .timeFeatures = size("time_features"),
                   .lengthClasses = of.at("length_weight") > 0 ? size("length_classes") : 0,
                   .selfConditioning = kForms.at(of.at("self_conditioning")),
                   .sharedEmbeddings = of.at("shared_embeddings")};
    return sizes;
}

/// A set of weights may hold more layers than the case has.
DiffusiaNet netOf(const json& of) {
    DiffusiaNet net(sizesOf(of));
    net->to(at::kDouble);
    const torch::NoGradGuard noGrad;
    const json& weights = golden().at("weights").at(of.at("weights").get<std::string>());
    for (auto& item : net->named_parameters()) {
        EXPECT_TRUE(weights.contains(item.key())) << item.key();
        item.value().copy_(tensorOf(weights.at(item.key())));
    }
    return net;
}

std::vector<std::int32_t> lengthsOf(const at::Tensor& ids) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t row = 0; row < ids.size(0); ++row)
        lengths.push_back(static_cast<std::int32_t>(ids[row].ne(size("pad")).sum().item<std::int64_t>()));
    return lengths;
}

struct Batch {
    at::Tensor condition = tensorOf(golden().at("condition")).to(at::kLong),
               target = tensorOf(golden().at("target")).to(at::kLong);
    std::vector<std::int32_t> conditionLengths = lengthsOf(condition), targetLengths = lengthsOf(target);
};

class DiffusiaCase : public ::testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] static const json& of() { return golden().at("cases").at(GetParam()); }
    [[nodiscard]] static bool masks() { return of().at("mask_target_pad"); }

    Counted counted() const {
        Counted all{masks() ? batch_.targetLengths : std::vector<std::int32_t>(2, 4), 4, {}};
        if (masks()) all.maybeIndices = realIndices(all.lengths, all.width, at::kCPU);
        return all;
    }

    /// One training step without draws: its losses, estimates and gradients; returns the estimate.
    at::Tensor step(const at::Tensor& maybePrevious, const json& wanted) {
        const Counted positions = counted();
        const TokenLayout layout(std::span<const std::int32_t>(positions.lengths), positions.width, at::kCPU);
        ForwardPass pass;
        StateCapture capture{true, false, {}};
        pass.maybeCapture = &capture;
        const Condition condition = net_->encode(batch_.condition, batch_.conditionLengths, pass);
        const Draws draws{tensorOf(of().at("x0_noise")), tensorOf(of().at("noise")),
                          tensorOf(of().at("t")).to(at::kLong)};
        const Noised noisy = noised(net_->embedTarget(batch_.target), draws, tables_);
        expectClose(noisy.clean, of().at("x0"), "x0");
        expectClose(noisy.words, of().at("x_t"), "x_t");
        const at::Tensor time =
            net_->timeEmbedding(draws.t.to(at::kDouble) * (1000.0 / static_cast<double>(size("steps"))));
        const at::Tensor estimate =
            net_->denoise({noisy.words, maybePrevious, time}, condition, layout, pass).words;
        expectClose(estimate, wanted.at("prediction"), "prediction");
        expectClose(net_->logits(estimate), wanted.at("logits"), "logits");
        expectClose(roundingNll(*net_, estimate, batch_.target, {{4, 4}, 4, {}}), wanted.at("rounding_nll"),
                    "nll");
        if (wanted.contains("condition_states"))
            for (std::size_t m = 0; m < wanted.at("condition_states").size(); ++m)
                expectClose(capture.tensors.at("condition/" + std::to_string(m)),
                            wanted.at("condition_states")[m], "c^" + std::to_string(m));
        expectStates(capture, wanted);
        const LossForm form = of().at("loss") == "code" ? LossForm::Code : LossForm::Paper;
        const LossParts parts =
            lossParts(*net_, {batch_.target, noisy, draws.t, estimate}, tables_, positions, form);
        expectLosses(parts, condition, wanted);
        return estimate.detach();
    }

private:
    static void expectStates(const StateCapture& capture, const json& wanted) {
        if (!wanted.contains("target_states") || of().at("network") == "diffuseq") return;
        for (std::size_t j = 1; j < wanted.at("target_states").size(); ++j)
            expectClose(capture.tensors.at("hidden/" + std::to_string(j - 1)), wanted.at("target_states")[j],
                        "x^" + std::to_string(j));
    }
    void expectLosses(const LossParts& parts, const Condition& condition, const json& wanted) {
        expectClose(parts.mse, wanted.at("mse"), "mse");
        expectClose(parts.rounding, wanted.at("rounding"), "rounding");
        if (wanted.contains("prior")) expectClose(parts.prior, wanted.at("prior"), "prior");
        expectClose(parts.total, wanted.at("losses"), "losses");
        at::Tensor total = (parts.total * tensorOf(of().at("importance"))).mean();
        if (wanted.contains("length")) {
            std::vector<std::int64_t> classes;
            for (std::size_t b = 0; b < 2; ++b)
                classes.push_back(
                    lengthClass(batch_.targetLengths[b], batch_.conditionLengths[b], size("length_classes")));
            const at::Tensor lengths =
                at::cross_entropy_loss(condition.lengthLogits, at::tensor(classes), {}, at::Reduction::None);
            expectClose(lengths, wanted.at("length"), "length");
            total = total + lengths.mean() * of().at("length_weight").get<double>();
        }
        expectClose(total, wanted.at("batch_loss"), "batch loss");
        if (!wanted.contains("gradient_norms")) return;
        net_->zero_grad();
        total.backward();
        ASSERT_EQ(net_->named_parameters().size(), wanted.at("gradient_norms").size());
        for (const auto& item : net_->named_parameters()) {
            const at::Tensor& gradient = item.value().grad();
            expectGradient(gradient.defined() ? gradient : at::zeros_like(item.value()), wanted, item.key());
        }
    }

    DiffusiaNet net_ = netOf(of());
    NoiseTables tables_ = noiseTables(*scheduleOf(size("steps")), of().at("noise_factor"), at::kDouble);
    Batch batch_;
};

TEST_P(DiffusiaCase, PredictionsLossesAndGradientsAgree) {
    const at::Tensor first = step({}, of().at("first"));
    if (of().contains("self_conditioned")) step(first, of().at("self_conditioned"));
}

INSTANTIATE_TEST_SUITE_P(Golden, DiffusiaCase,
                         ::testing::Values("ed", "sia_equal", "sia_longer_decoder", "sia_longer_encoder",
                                           "without_si", "diffuseq", "sc_none", "sc_a", "sc_fused", "tiny_ed",
                                           "tiny_sia", "equation_3"),
                         [](const auto& info) { return info.param; });

class DiffusiaSampling : public ::testing::TestWithParam<const char*> {};

TEST_P(DiffusiaSampling, RunsAgree) {
    const torch::NoGradGuard noGrad;
    DiffusiaNet net = netOf(golden().at("cases").at(GetParam()));
    const json& sampling = golden().at("sampling").at(GetParam());
    const Batch batch;
    const std::vector<std::int32_t> full(2, 4);
    const TokenLayout layout(std::span<const std::int32_t>(full), 4, at::kCPU);
    const Condition condition = net->encode(batch.condition, batch.conditionLengths, {});
    const diffusion::GaussianProcess process(scheduleOf(size("steps")), 1);
    const at::Tensor noises = tensorOf(sampling.at("noise"));
    for (const auto& [name, run] : sampling.at("runs").items()) {
        diffusion::SolverSettings settings;
        settings.solver = run.at("kind") == "ddpm"   ? diffusion::Solver::Ddpm
                          : run.at("kind") == "ddim" ? diffusion::Solver::Ddim
                                                     : diffusion::Solver::DpmSolver;
        settings.largeVariance = run.value("variance", "") == "large";
        settings.lowerOrderFinal = run.value("lower_order_final", false);
        diffusion::ReverseSampler sampler(process.reverseSteps(sampling.at("steps")), settings);
        Noisy noisy;
        noisy.words = tensorOf(sampling.at("start"));
        for (std::size_t i = 0; i < sampler.chain().size(); ++i) {
            noisy.time = net->timeEmbedding(at::full({1}, sampler.chain()[i].modelTime, at::kDouble));
            const at::Tensor raw = net->denoise(noisy, condition, layout, {}).words;
            const std::string at = name + " " + std::to_string(i);
            expectClose(raw, run.at("estimates")[i], at + " estimate");
            at::Tensor estimate = raw;
            if (run.at("clamp")) {
                const at::Tensor ids = diffusion::nearestRows(raw, net->targetEmbedding->weight);
                expectClose(ids, run.at("nearest")[i], at + " nearest");
                estimate = net->embedTarget(ids);
            }
            noisy.previous = run.at("feed") == "raw" ? raw : estimate;
            noisy.words = sampler.next(i, noisy.words, estimate, noises[static_cast<std::int64_t>(i)]);
            expectClose(noisy.words, run.at("states")[i], at + " state");
        }
        expectClose(net->logits(noisy.words).argmax(-1), run.at("tokens"), name + " tokens");
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, DiffusiaSampling, ::testing::Values("ed", "sia_equal"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DiffusiaGolden, ScheduleAndChainsAgree) {
    const json& part = golden().at("diffusion");
    const auto schedule = scheduleOf(size("steps"));
    const NoiseTables tables = noiseTables(*schedule, 1, at::kDouble);
    expectClose(at::tensor(tables.startNoise, at::kDouble), part.at("schedule").at("start_noise"), "start");
    expectClose(tables.signal.square(), part.at("schedule").at("alpha_bar"), "alpha bar");
    const diffusion::GaussianProcess process(schedule, 1);
    for (const json& chain : part.at("chains")) {
        const auto count = static_cast<int>(chain.at("t").size());
        const auto steps = process.reverseSteps(count);
        for (int k = 0; k < count; ++k) {
            const auto& step = steps[static_cast<std::size_t>(count - 1 - k)];
            const auto at = static_cast<std::size_t>(k);
            expectClose(at::tensor({step.t * 1.0, step.modelTime, step.c1, step.c2, step.sigma * step.sigma},
                                   at::kDouble),
                        {chain.at("t")[at], chain.at("model_time")[at], chain.at("c1")[at],
                         chain.at("c2")[at], chain.at("posterior")[at]},
                        "step " + std::to_string(k) + " of " + std::to_string(count));
        }
    }
    const json& nearest = part.at("nearest");
    expectClose(diffusion::nearestRows(tensorOf(nearest.at("points")), tensorOf(nearest.at("table"))),
                nearest.at("ids"), "nearest rows, the lowest of several");
    for (const json& one : part.at("length_classes"))
        EXPECT_EQ(lengthClass(one.at("target"), one.at("condition"), one.at("classes")),
                  one.at("class").get<std::int64_t>());
}

TEST(DiffusiaGolden, MovesBetweenLevelsAgree) {
    const json& part = golden().at("diffusion");
    const auto bars = scheduleOf(size("steps"));
    const auto level = [&](const json& t) {
        return t.get<int>() < 0 ? sampling::NoiseLevel()
                                : sampling::NoiseLevel::ofAlphaBar(bars->alphaBars()[t.get<std::size_t>()]);
    };
    const auto estimate = [&](const at::Tensor& x, const at::Tensor& x0, const sampling::NoiseLevel& from) {
        return diffusion::decompose(diffusion::Target::X0, x0, x, diffusion::levelTensors({&from, 1}, x));
    };
    for (const json& move : part.at("moves")) {
        const sampling::NoiseLevel from = level(move.at("from")), to = level(move.at("to"));
        const at::Tensor noise = tensorOf(move.at("noise"));
        const auto parts = estimate(tensorOf(move.at("x")), tensorOf(move.at("x0")), from);
        expectClose(parts.epsilon, move.at("epsilon"), "epsilon");
        const auto moved = [&](const sampling::GaussianStep& step) {
            return diffusion::reverseStep(step, parts, noise);
        };
        expectClose(moved(sampling::ancestralStep(from, to, 0)), move.at("mean"), "mean");
        expectClose(moved(sampling::ddimStep(from, to, 0)), move.at("ddim"), "DDIM");
        if (!move.contains("large")) continue;
        const auto variance = sampling::reverseVariance(from, to);
        expectClose(moved(sampling::ancestralStep(from, to, variance.forward)), move.at("large"), "large");
        expectClose(moved(sampling::ancestralStep(from, to, variance.posterior)), move.at("posterior"),
                    "posterior");
        expectClose(moved(sampling::ddimStep(from, to, 0.5)), move.at("ddim_eta_0.5"), "eta 0.5");
    }
    for (const json& of : part.at("multistep")) {
        const sampling::NoiseLevel from = level(of.at("from")), to = level(of.at("to"));
        const double weight = sampling::multistepWeight(level(of.at("before")), from, to);
        expectClose(at::tensor(weight, at::kDouble), of.at("weight"), "weight");
        const at::Tensor x0 = tensorOf(of.at("x0")), d = x0 + weight * (x0 - tensorOf(of.at("previous_x0")));
        expectClose(d, of.at("estimate"), "estimate");
        expectClose(diffusion::reverseStep(sampling::ddimStep(from, to, 0),
                                           estimate(tensorOf(of.at("x")), d, from), {}),
                    of.at("result"), "DPM-Solver++");
    }
}

TEST(DiffusiaGolden, StepSamplerAgrees) {
    const json& part = golden().at("step_sampler");
    for (const json& of : part.at("cases")) {
        // Updates one at a time, and in batches of up to seven between the points.
        for (const std::size_t batch : {std::size_t{1}, std::size_t{7}}) {
            diffusion::StepSampler sampler(
                diffusion::StepSamplerImpl::Sizes{of.at("steps"), of.at("buckets"), of.at("history")});
            std::size_t done = 0;
            for (const json& point : of.at("points")) {
                const auto until = point.at("updates").get<std::size_t>();
                while (done < until) {
                    const std::size_t next = std::min(until, done + batch);
                    std::vector<double> t, losses;
                    for (; done < next; ++done) {
                        t.push_back(part.at("updates")[done][0]);
                        losses.push_back(part.at("updates")[done][1]);
                    }
                    sampler->observe(at::tensor(t).to(at::kLong), at::tensor(losses, at::kDouble));
                }
                expectClose(sampler->filled(), point.at("filled"), "filled");
                expectClose(sampler->probabilities(), point.at("probabilities"), "probabilities");
                const at::Tensor all = sampler->draw(sampler->probabilities().cumsum(0) - 1e-6).t;
                EXPECT_TRUE(at::equal(all, at::arange(of.at("steps").get<std::int64_t>())));
                expectClose(sampler->draw(sampler->probabilities().cumsum(0) - 1e-6).weight,
                            point.at("weights"), "weights");
            }
            for (const json& draw : of.at("draws"))
                EXPECT_EQ(
                    sampler->draw(at::full({1}, draw[0].get<double>(), at::kDouble)).t.item<std::int64_t>(),
                    draw[1].get<std::int64_t>());
        }
    }
}

TEST(DiffusiaGolden, LongHistoriesAgree) {
    for (const json& of : golden().at("step_sampler").at("reference")) {
        diffusion::StepSampler sampler(
            diffusion::StepSamplerImpl::Sizes{of.at("steps"), of.at("buckets"), of.at("history")});
        std::uint32_t s = 1;
        const auto next = [&] {
            s = 1664525U * s + 1013904223U;
            return static_cast<std::int64_t>(s >> 16U);
        };
        std::vector<std::int64_t> t;
        std::vector<double> losses;
        for (int i = 0; i < of.at("updates"); ++i) {
            t.push_back(next() % of.at("steps").get<std::int64_t>());
            losses.push_back(static_cast<double>(next() + 1) / 65536);
        }
        sampler->observe(at::tensor(t), at::tensor(losses, at::kDouble));
        expectClose(sampler->probabilities(), of.at("probabilities"), "reference");
    }
}

}  // namespace
}  // namespace kurve::models::diffusia
