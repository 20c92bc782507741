#include "models/transformer/chained_brier.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"
#include "core/diffusion/fused_linear_cross_entropy.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"

namespace kurve::models::transformer {
namespace {

constexpr auto kChainOrders = static_cast<std::int64_t>(metrics::kBrierOrders);
constexpr std::size_t kChainRows = 32, kChainTokens = 1 << 13;  // of a group

/// A start's chain so far.
struct Chain {
    std::int64_t row = 0;  ///< of the group
    RandomStream stream;
    std::vector<double> masses;
    std::int32_t token = 0;
    bool ended = false;
};

/// Some texts of a request. Their keys and values are read once; from the last start to the first, those
/// behind a start are forgotten, and the chains go on in their place.
class ChainedTexts {
public:
    ChainedTexts(DecoderOnlyNetImpl& net, const train::BrierRequest& request, double temperature,
                 std::span<const std::size_t> which)
        : net_(net),
          request_(request),
          temperature_(temperature),
          which_(which),
          cache_(net.newCache(static_cast<std::int64_t>(which.size()))) {
        const at::Tensor ids = padRows(request.texts, which, net.device(), {net.special().pad}).ids;
        length_ = ids.size(1);
        states_ = net.extend(ids.narrow(1, 0, length_ - 1), cache_);
        const at::Tensor nll = diffusion::meanNll(atTemperature(states_).flatten(0, 1), net.outputTable(),
                                                  ids.narrow(1, 1, length_ - 1).flatten())
                                   .nll;
        probabilities_ = nll.neg().to(at::kDouble).exp().to(at::kCPU).contiguous();
    }

    void score(std::int64_t every, train::BrierStarts& out) {
        for (std::int64_t start = 1 + (length_ - 2) / every * every; start >= 1; start -= every) {
            std::vector<Chain> chains = chainsAt(start);
            if (chains.empty()) continue;
            if ((out.cancelled = request_.cancel.requested())) return;
            if (request_.alive) request_.alive();
            follow(chains, start);
            for (const Chain& chain : chains)
                out.starts.push_back({static_cast<std::int64_t>(number(chain.row)), start,
                                      metrics::exactTerms(truthAt(chain.row, start), chain.masses)});
        }
    }

private:
    /// Logits are linear in states.
    [[nodiscard]] at::Tensor atTemperature(const at::Tensor& states) const {
        return temperature_ == 1 ? states : states / temperature_;
    }
    [[nodiscard]] std::size_t number(std::int64_t row) const { return which_[static_cast<std::size_t>(row)]; }

    /// Of the texts that have four tokens from there on and no end among them.
    [[nodiscard]] std::vector<Chain> chainsAt(std::int64_t start) const {
        std::vector<Chain> chains;
        for (std::size_t row = 0; row < which_.size(); ++row) {
            const auto& text = request_.texts[which_[row]];
            if (static_cast<std::int64_t>(text.size()) < start + kChainOrders) continue;
            const auto first = text.begin() + start;
            if (std::find(first, first + kChainOrders, net_.special().eos) != first + kChainOrders) continue;
            const std::uint64_t stream = which_[row] << 20 | static_cast<std::uint64_t>(start);
            chains.push_back({static_cast<std::int64_t>(row),
                              RandomStream(request_.seed, "brier.chain", stream),
                              {},
                              0,
                              false});
        }
        return chains;
    }

    [[nodiscard]] std::span<const double> truthAt(std::int64_t row, std::int64_t start) const {
        return {probabilities_.const_data_ptr<double>() + row * (length_ - 1) + start - 1,
                static_cast<std::size_t>(kChainOrders)};
    }

    void follow(std::vector<Chain>& chains, std::int64_t start) {
        cache_.truncate(start);
        at::Tensor states = states_.select(1, start - 1);
        for (std::int64_t n = 0;; ++n) {
            link(chains, states);
            if (n + 1 == kChainOrders) return;
            std::vector<std::int64_t> tokens(which_.size(), net_.special().pad);
            for (const Chain& chain : chains) tokens[static_cast<std::size_t>(chain.row)] = chain.token;
            const at::Tensor next = toDevice(std::span<const std::int64_t>(tokens), net_.device());
            states = net_.extend(next.unsqueeze(1), cache_).squeeze(1);
        }
    }

    /// The next link of each chain, after states [n, H].
    void link(std::vector<Chain>& chains, const at::Tensor& states) const {
        std::vector<std::int64_t> rows;
        for (const Chain& chain : chains) rows.push_back(chain.row);
        const at::Tensor index = toDevice(std::span<const std::int64_t>(rows), net_.device());
        const at::Tensor p = net_.logits(atTemperature(states.index_select(0, index)))
                                 .to(at::kDouble)
                                 .softmax(-1)
                                 .to(at::kCPU)
                                 .contiguous();
        const auto vocabulary = static_cast<std::size_t>(p.size(1));
        const auto* of = p.const_data_ptr<double>();
        for (Chain& chain : chains) {
            const auto next = metrics::chainLink({of, vocabulary}, chain.stream);
            of += vocabulary;
            chain.masses.push_back(chain.ended ? 1 : next.mass);
            if (!chain.ended) chain.token = next.token;
            chain.ended = chain.ended || (net_.endsAtEos() && next.token == net_.special().eos);
        }
    }

    DecoderOnlyNetImpl& net_;
    const train::BrierRequest& request_;
    double temperature_;
    std::span<const std::size_t> which_;
    DecodingCache cache_;
    std::int64_t length_ = 0;   ///< of the longest text
    at::Tensor states_;         ///< [n, L - 1, H]
    at::Tensor probabilities_;  ///< [n (L - 1)] f64, of every token behind <s>
};

}  // namespace

Result<train::BrierStarts> chainedBrier(DecoderOnlyNetImpl& net, const train::BrierRequest& request,
                                        double temperature) {
    KURVE_CHECKED(checkLengths(request.texts, net.maxPositions()));
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    train::BrierStarts out;
    out.every = std::max<std::int64_t>(request.every, 1);
    out.estimator = "estimator:exact";
    if (temperature != 1) out.estimator += fmt::format("|temperature:{}", temperature);
    std::size_t longest = 2;
    for (const auto& text : request.texts) longest = std::max(longest, text.size());
    const std::size_t rows = std::clamp<std::size_t>(kChainTokens / longest, 1, kChainRows);
    for (const auto& which : groupsByLength(request.texts, rows)) {
        ChainedTexts(net, request, temperature, which).score(out.every, out);
        if (out.cancelled) break;
    }
    return out;
}

}  // namespace kurve::models::transformer
