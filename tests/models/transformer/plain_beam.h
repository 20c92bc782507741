#pragma once

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/text/trained_specials.h"
#include "models/common/decoding.h"
#include "models/transformer/autoregressive_decoder.h"
#include "models/transformer/transformer_model.h"
#include "models/transformer/transformer_net.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::transformer {

using Ids = std::vector<std::int32_t>;

inline RunConfig toy(const std::vector<Override>& settings = {}) {
    return testing::toyConfig("transformer", settings);
}

inline TransformerNetImpl& netOf(train::SequenceModel& model) {
    return dynamic_cast<TransformerNetImpl&>(model.module());
}

/// A model with confident predictions, as a trained one has: random weights give nearly uniform softmaxes.
inline std::unique_ptr<train::SequenceModel> confidentModel(const RunConfig& config,
                                                            std::int64_t vocabulary = 25) {
    auto made =
        findFamily("transformer")
            ->create(config, {{vocabulary, vocabulary, true, 16, true, text::kTrainedSpecials}, at::kCPU});
    EXPECT_TRUE(made) << made.error().text();
    const at::NoGradGuard noGrad;
    netOf(**made).embedding->weight.mul_(3);
    (*made)->module().eval();
    return std::move(*made);
}

/// Beam search as defined, on the whole prefix every time: no cache, no batches.
/// `constraint`: of the edits.
inline std::vector<Hypothesis> plainBeam(TransformerNetImpl& net, const Ids& source, std::size_t beam,
                                         std::size_t longest, double lambda,
                                         const Constraint& constraint = {}) {
    const at::NoGradGuard noGrad;
    const std::vector<std::size_t> first{0};
    const auto [ids, lengths] = padRows({source}, first, at::kCPU, {text::kPad, 1});
    const CrossAttentionCache crossCache = net.encode(ids, lengths, {});
    struct Live {
        Ids ids;
        double logP = 0;
    };
    std::vector<Live> live{{}};
    std::vector<Hypothesis> done;
    for (std::size_t step = 0; done.size() < beam && !live.empty(); ++step) {
        struct Next {
            double logP;
            std::size_t row;
            std::int32_t token;
        };
        std::vector<Next> all;
        for (std::size_t r = 0; r < live.size(); ++r) {
            std::vector<std::int64_t> previous{text::kEos};
            previous.insert(previous.end(), live[r].ids.begin(), live[r].ids.end());
            const std::vector<std::int32_t> length{static_cast<std::int32_t>(previous.size())};
            const at::Tensor states = net.decode(at::tensor(previous).unsqueeze(0), crossCache, length, {});
            const at::Tensor logP = at::log_softmax(net.logits(states[0][-1]), 0).to(at::kDouble);
            for (std::int32_t v = 0; v < logP.size(0); ++v) {
                if (step < constraint.prefix.size()) {
                    if (v == constraint.prefix[step])
                        all.push_back({live[r].logP + logP[v].item<double>(), r, v});
                    continue;
                }
                if (step == constraint.prefix.size() &&
                    std::find(constraint.banned.begin(), constraint.banned.end(), v) !=
                        constraint.banned.end())
                    continue;
                if (v == text::kPad || v == text::kBos || v == text::kMask) continue;
                if (v == text::kEos ? step < 1 : step >= longest) continue;
                all.push_back({live[r].logP + logP[v].item<double>(), r, v});
            }
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const Next& a, const Next& b) { return a.logP > b.logP; });
        std::vector<Live> then;
        for (std::size_t rank = 0; rank < std::min(all.size(), 2 * beam); ++rank) {
            Ids text = live[all[rank].row].ids;
            if (all[rank].token == text::kEos) {
                const double score = all[rank].logP / std::pow(static_cast<double>(text.size() + 1), lambda);
                if (rank < beam && done.size() < beam) done.push_back({text, all[rank].logP, score});
                continue;
            }
            text.push_back(all[rank].token);
            if (then.size() < beam) then.push_back({text, all[rank].logP});
        }
        live = std::move(then);
    }
    std::stable_sort(done.begin(), done.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    return done;
}

inline train::Generation generated(train::SequenceModel& model, const RunConfig& config,
                                   const std::vector<Ids>& sources = testing::toySources(),
                                   std::uint64_t seed = 1) {
    train::GenerateRequest request;
    request.sources = sources;
    request.seed = seed;
    auto made = model.generate(request, config, nullptr);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

}  // namespace kurve::models::transformer
