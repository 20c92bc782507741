#include "models/transformer/autoregressive_decoder.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/random.h"
#include "models/common/padding.h"

namespace kurve::models::transformer {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

at::Tensor deviceIndex(const std::vector<std::int64_t>& values, c10::Device device) {
    return toDevice(std::span<const std::int64_t>(values), device);
}

bool isIdentity(const std::vector<std::int64_t>& rows, std::int64_t before) {
    if (static_cast<std::int64_t>(rows.size()) != before) return false;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] != static_cast<std::int64_t>(i)) return false;
    return true;
}

/// The best continuations of every sentence, on the host.
struct Best {
    std::vector<std::int64_t> index;  ///< [sentences, width] row of the sentence * V + token
    std::vector<double> logProbability;
    std::int64_t width = 0, vocabulary = 0;

    [[nodiscard]] std::vector<Continuation> of(std::size_t sentence) const {
        std::vector<Continuation> all;
        const auto count = static_cast<std::size_t>(width);
        for (std::size_t i = sentence * count; i < (sentence + 1) * count; ++i)
            all.push_back(
                {index[i] / vocabulary, static_cast<std::int32_t>(index[i] % vocabulary), logProbability[i]});
        return all;
    }
};

/// totals [sentences * rows, V]: log p of the whole text with that token.
Best bestOf(const at::Tensor& totals, std::int64_t sentences, std::int64_t count) {
    Best best;
    best.vocabulary = totals.size(1);
    const at::Tensor flat = totals.view({sentences, -1});
    best.width = std::min(count, flat.size(1));
    const auto [values, indices] = flat.topk(best.width, 1);
    // One transfer: doubles hold the indices exactly.
    const at::Tensor both = at::stack({values.to(at::kDouble), indices.to(at::kDouble)}).to(at::kCPU);
    const auto* data = both.const_data_ptr<double>();
    best.logProbability.assign(data, data + values.numel());
    best.index.assign(data + values.numel(), data + 2 * values.numel());
    return best;
}

/// The next token of every row: `u` of [0, 1) selects from the truncated distribution.
at::Tensor nextTokens(const at::Tensor& logP, const at::Tensor& u, const DecoderSettings& settings) {
    auto [sorted, ids] = (logP / settings.temperature).sort(1, /*descending=*/true);
    at::Tensor p = at::softmax(sorted, 1);
    if (settings.topK > 0 && settings.topK < p.size(1))
        p.narrow(1, settings.topK, p.size(1) - settings.topK).zero_();
    at::Tensor upTo = p.cumsum(1);
    if (settings.topP < 1) {
        p = p.masked_fill(upTo - p >= settings.topP * upTo.narrow(1, p.size(1) - 1, 1), 0);
        upTo = p.cumsum(1);
    }
    const at::Tensor all = upTo.narrow(1, upTo.size(1) - 1, 1), kept = (p > 0).sum(1, true);
    const at::Tensor index = (upTo <= u.unsqueeze(1) * all).sum(1, true);
    return ids.gather(1, at::minimum(index, kept - 1)).squeeze(1);
}

/// The sampled tokens of all rows, on the host.
struct SampledTokens {
    std::vector<double> logProbability;
    std::vector<std::int32_t> tokens;
};

/// u: a number of [0, 1) for each row of logP [rows, V].
SampledTokens sampleTokens(const at::Tensor& logP, const std::vector<float>& u,
                           const DecoderSettings& settings) {
    const at::Tensor numbers = toDevice(std::span<const float>(u), logP.device()).to(logP.scalar_type());
    const at::Tensor next = nextTokens(logP, numbers, settings);
    const at::Tensor chosen = logP.gather(1, next.unsqueeze(1)).squeeze(1);
    // One transfer: doubles hold the tokens exactly.
    const at::Tensor both = at::stack({chosen.to(at::kDouble), next.to(at::kDouble)}).to(at::kCPU);
    const auto* data = both.const_data_ptr<double>();
    return {{data, data + u.size()}, {data + u.size(), data + 2 * u.size()}};
}

/// An unfinished sample.
struct PartialSample {
    std::size_t sentence = 0;
    std::uint64_t stream = 0;
    std::int64_t maxLength = 0;
    Hypothesis text;

    void end(double lengthPenalty) {
        text.score = text.logProbability / std::pow(static_cast<double>(text.ids.size() + 1), lengthPenalty);
    }
};

}  // namespace

std::int64_t AutoregressiveDecoder::maxLength(const TextGroup& group, std::size_t text) const {
    const auto requested = static_cast<std::int64_t>(settings_.lengthFactor * group.sourceLengths[text]) +
                           settings_.lengthOffset;
    return std::min(requested, net_.room(group.known[text].size()));
}

void AutoregressiveDecoder::constrainRow(const at::Tensor& logP, const at::Tensor& raw,
                                         std::int64_t step) const {
    const auto position = static_cast<std::size_t>(step);
    const auto& [prefix, banned, sample] = *maybeConstraint_;
    if (position < prefix.size()) {
        const at::Tensor kept = raw[prefix[position]].clone();
        logP.fill_(kImpossible);
        logP[prefix[position]].copy_(kept);
    } else if (position == prefix.size()) {
        for (const std::int32_t token : banned) logP[token].fill_(kImpossible);
    }
}

at::Tensor AutoregressiveDecoder::allowedLogP(const at::Tensor& logits, std::int64_t step,
                                              const RestrictedRows& rows) const {
    at::Tensor logP = at::log_softmax(logits, -1), raw;
    if (!rows.constrained.empty()) raw = logP.clone();
    for (const std::int64_t never : net_.special().neverInText()) logP.select(1, never).fill_(kImpossible);
    const std::int64_t eos = net_.special().eos;
    at::Tensor end;
    if (!rows.mustEnd.empty()) end = logP.select(1, eos).clone();
    if (settings_.endsAtEos && step < settings_.minLength) logP.select(1, eos).fill_(kImpossible);
    for (const std::int64_t row : rows.constrained) constrainRow(logP[row], raw[row], step);
    for (const std::int64_t row : rows.mustEnd) {
        logP[row].fill_(kImpossible);
        logP[row][eos].copy_(end[row]);
    }
    return logP;
}

std::vector<std::vector<Hypothesis>> AutoregressiveDecoder::decode(const TextGroup& group,
                                                                   const CancelToken& cancel) {
    return settings_.sampling ? sample(group, cancel) : search(group, cancel);
}

std::vector<std::vector<Hypothesis>> AutoregressiveDecoder::search(const TextGroup& group,
                                                                   const CancelToken& cancel) {
    const c10::Device device = net_.device();
    const auto decoder = net_.begin(group);
    std::vector<BeamSearch> searches;
    std::vector<std::size_t> live;  // sentences in the batch
    std::vector<std::int64_t> tokens;
    for (std::size_t s = 0; s < group.numbers.size(); ++s) {
        searches.emplace_back(BeamSettings{settings_.beam, settings_.lengthPenalty, maxLength(group, s),
                                           settings_.endsAtEos, net_.special().eos});
        live.push_back(s);
        tokens.push_back(net_.firstToken(group.known[s]));
    }
    std::vector<float> before(live.size(), 0);
    for (std::int64_t step = 0; !live.empty(); ++step) {
        if (cancel.requested()) return {};
        const auto sentences = static_cast<std::int64_t>(live.size()),
                   rows = static_cast<std::int64_t>(tokens.size()), each = rows / sentences;
        RestrictedRows restricted;
        for (std::size_t i = 0; i < live.size(); ++i)
            for (std::int64_t k = 0; searches[live[i]].mustEnd() && k < each; ++k)
                restricted.mustEnd.push_back(static_cast<std::int64_t>(i) * each + k);
        for (std::int64_t row = 0; maybeConstraint_ != nullptr && row < rows; ++row)
            restricted.constrained.push_back(row);
        const at::Tensor logits = decoder->extend(deviceIndex(tokens, device));
        if (step % net_.tokensPerState() == 0) ++calls_;
        at::Tensor totals = allowedLogP(logits, step, restricted);
        totals.add_(toDevice(std::span<const float>(before), device).to(totals.scalar_type()).unsqueeze(1));
        const Best best = bestOf(totals, sentences, 2 * settings_.beam);

        std::vector<std::int64_t> parents, kept;  // rows, sentences
        std::vector<std::size_t> still;
        tokens.clear();
        before.clear();
        for (std::size_t i = 0; i < live.size(); ++i) {
            BeamSearch& search = searches[live[i]];
            search.advance(best.of(i));
            if (search.done()) continue;
            still.push_back(live[i]);
            kept.push_back(static_cast<std::int64_t>(i));
            // With a vocabulary smaller than the beam some rows are empty: copies with probability 0.
            for (std::size_t k = 0; k < static_cast<std::size_t>(settings_.beam); ++k) {
                const bool real = k < search.tokens().size();
                parents.push_back(static_cast<std::int64_t>(i) * each + search.parents()[real ? k : 0]);
                tokens.push_back(search.tokens()[real ? k : 0]);
                before.push_back(real ? static_cast<float>(search.logProbabilities()[k])
                                      : -std::numeric_limits<float>::infinity());
            }
        }
        if (!isIdentity(parents, rows) && !still.empty()) decoder->select(deviceIndex(parents, device));
        if (still.size() < live.size() && !still.empty()) decoder->selectTexts(deviceIndex(kept, device));
        live = std::move(still);
    }
    std::vector<std::vector<Hypothesis>> texts;
    for (const BeamSearch& search : searches) texts.push_back(search.finished());
    return texts;
}

std::vector<std::vector<Hypothesis>> AutoregressiveDecoder::sample(const TextGroup& group,
                                                                   const CancelToken& cancel) {
    const c10::Device device = net_.device();
    const auto decoder = net_.begin(group);
    std::vector<PartialSample> samples;
    std::vector<std::int64_t> sentenceOf, tokens;
    for (std::size_t s = 0; s < group.numbers.size(); ++s)
        for (std::int64_t k = 0; k < settings_.beam; ++k) {
            const std::uint64_t source = settings_.firstRow + group.numbers[s];
            const auto stream = (source << 16) + static_cast<std::uint64_t>(k);
            samples.push_back({s, stream, maxLength(group, s), {{}, 0, 0, k}});
            sentenceOf.push_back(static_cast<std::int64_t>(s));
            tokens.push_back(net_.firstToken(group.known[s]));
        }
    decoder->select(deviceIndex(sentenceOf, device));
    decoder->selectTexts(deviceIndex(sentenceOf, device));
    std::vector<std::vector<Hypothesis>> texts(group.numbers.size());
    for (std::int64_t step = 0; !samples.empty(); ++step) {
        if (cancel.requested()) return {};
        const StreamId id(settings_.seed, "sampler.token", static_cast<std::uint64_t>(step));
        RestrictedRows restricted;
        std::vector<std::int64_t> kept;
        std::vector<float> u;
        for (std::size_t r = 0; r < samples.size(); ++r) {
            const auto row = static_cast<std::int64_t>(r);
            if (step >= samples[r].maxLength) restricted.mustEnd.push_back(row);
            if (maybeConstraint_ != nullptr && samples[r].text.sample == maybeConstraint_->sample)
                restricted.constrained.push_back(row);
            u.push_back(tensor::uniformAt(id, samples[r].stream));
        }
        const at::Tensor logits = decoder->extend(deviceIndex(tokens, device));
        if (step % net_.tokensPerState() == 0) ++calls_;
        const SampledTokens sampled = sampleTokens(allowedLogP(logits, step, restricted), u, settings_);

        tokens.clear();
        std::vector<PartialSample> still;
        for (std::size_t r = 0; r < samples.size(); ++r) {
            PartialSample& partial = samples[r];
            const std::int32_t token = sampled.tokens[r];
            partial.text.logProbability += sampled.logProbability[r];
            if (token == net_.special().eos && (settings_.endsAtEos || step >= partial.maxLength)) {
                partial.end(settings_.lengthPenalty);
                texts[partial.sentence].push_back(std::move(partial.text));
                continue;
            }
            partial.text.ids.push_back(token);
            tokens.push_back(token);
            kept.push_back(static_cast<std::int64_t>(r));
            still.push_back(std::move(partial));
        }
        if (still.size() < samples.size() && !still.empty()) {
            const at::Tensor rows = deviceIndex(kept, device);
            decoder->select(rows);
            decoder->selectTexts(rows);
        }
        samples = std::move(still);
    }
    // Not by score: the most probable of several samples is none of the distribution.
    for (auto& all : texts) std::ranges::sort(all, {}, &Hypothesis::sample);
    return texts;
}

}  // namespace kurve::models::transformer
