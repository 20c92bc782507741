#include "models/transformer/writer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/random.h"
#include "core/text/tokenizer.h"
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

/// The next token of every row: `u` of [0, 1) picks from the allowed part of the distribution.
at::Tensor picked(const at::Tensor& logP, const at::Tensor& u, const WriterSettings& settings) {
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
    const at::Tensor place = (upTo <= u.unsqueeze(1) * all).sum(1, true);
    return ids.gather(1, at::minimum(place, kept - 1)).squeeze(1);
}

/// What was drawn for every row, on the host.
struct Drawn {
    std::vector<double> logProbability;
    std::vector<std::int32_t> tokens;
};

/// u: a number of [0, 1) for each row of logP [rows, V].
Drawn drawnFrom(const at::Tensor& logP, const std::vector<float>& u, const WriterSettings& settings) {
    const at::Tensor draws = toDevice(std::span<const float>(u), logP.device()).to(logP.scalar_type());
    const at::Tensor next = picked(logP, draws, settings);
    const at::Tensor chosen = logP.gather(1, next.unsqueeze(1)).squeeze(1);
    // One transfer: doubles hold the tokens exactly.
    const at::Tensor both = at::stack({chosen.to(at::kDouble), next.to(at::kDouble)}).to(at::kCPU);
    const auto* data = both.const_data_ptr<double>();
    return {{data, data + u.size()}, {data + u.size(), data + 2 * u.size()}};
}

/// A text that is being drawn.
struct Draft {
    std::size_t sentence = 0;
    std::uint64_t stream = 0;
    std::int64_t longest = 0;
    Hypothesis text;

    void end(double lengthPenalty) {
        text.score = text.logProbability / std::pow(static_cast<double>(text.ids.size() + 1), lengthPenalty);
    }
};

}  // namespace

std::int64_t Writer::longest(std::int32_t sourceLength) const {
    const auto asked =
        static_cast<std::int64_t>(settings_.lengthFactor * sourceLength) + settings_.lengthOffset;
    return std::min(asked, net_.places() - 1);
}

void Writer::constrainRow(const at::Tensor& logP, const at::Tensor& raw, std::int64_t step) const {
    const auto place = static_cast<std::size_t>(step);
    const auto& [prefix, banned, draw] = *maybeConstraint_;
    if (place < prefix.size()) {
        const at::Tensor kept = raw[prefix[place]].clone();
        logP.fill_(kImpossible);
        logP[prefix[place]].copy_(kept);
    } else if (place == prefix.size()) {
        for (const std::int32_t token : banned) logP[token].fill_(kImpossible);
    }
}

at::Tensor Writer::allowed(const at::Tensor& states, std::int64_t step, const Bound& rows) const {
    at::Tensor logP = at::log_softmax(net_.logits(states), -1), raw;
    if (!rows.constrained.empty()) raw = logP.clone();
    // Never in a target after its BOS.
    for (const std::int64_t never : {text::kPad, text::kBos, text::kMask})
        logP.select(1, never).fill_(kImpossible);
    at::Tensor end;
    if (!rows.mustEnd.empty()) end = logP.select(1, text::kEos).clone();
    if (step < settings_.minLength) logP.select(1, text::kEos).fill_(kImpossible);
    for (const std::int64_t row : rows.constrained) constrainRow(logP[row], raw[row], step);
    for (const std::int64_t row : rows.mustEnd) {
        logP[row].fill_(kImpossible);
        logP[row][text::kEos].copy_(end[row]);
    }
    return logP;
}

std::vector<std::vector<Hypothesis>> Writer::write(const SourceGroup& group, const CancelToken& cancel) {
    return settings_.draws ? draw(group, cancel) : search(group, cancel);
}

std::vector<std::vector<Hypothesis>> Writer::search(const SourceGroup& group, const CancelToken& cancel) {
    const c10::Device device = net_.device();
    Memory memory = net_.encode(group.ids, group.lengths, {});
    std::vector<BeamSearch> searches;
    std::vector<std::size_t> live;  // sentences in the batch
    for (std::size_t s = 0; s < group.lengths.size(); ++s) {
        searches.emplace_back(
            BeamSettings{settings_.beam, settings_.lengthPenalty, longest(group.lengths[s])});
        live.push_back(s);
    }
    DecodingCache cache = net_.newCache(static_cast<std::int64_t>(live.size()));
    std::vector<std::int64_t> tokens(live.size(), text::kEos);
    std::vector<float> before(live.size(), 0);
    while (!live.empty()) {
        if (cancel.requested()) return {};
        const auto sentences = static_cast<std::int64_t>(live.size()),
                   rows = static_cast<std::int64_t>(tokens.size()), each = rows / sentences;
        Bound bound;
        for (std::size_t i = 0; i < live.size(); ++i)
            for (std::int64_t k = 0; searches[live[i]].mustEnd() && k < each; ++k)
                bound.mustEnd.push_back(static_cast<std::int64_t>(i) * each + k);
        for (std::int64_t row = 0; maybeConstraint_ != nullptr && row < rows; ++row)
            bound.constrained.push_back(row);
        const at::Tensor states = net_.extend(deviceIndex(tokens, device), memory, cache);
        ++calls_;
        at::Tensor totals = allowed(states, cache.length() - 1, bound);
        totals.add_(toDevice(std::span<const float>(before), device).to(totals.scalar_type()).unsqueeze(1));
        const Best best = bestOf(totals, sentences, 2 * settings_.beam);

        std::vector<std::int64_t> parents, kept;  // rows of the cache, sentences of the memory
        std::vector<std::size_t> still;
        tokens.clear();
        before.clear();
        for (std::size_t i = 0; i < live.size(); ++i) {
            BeamSearch& search = searches[live[i]];
            search.advance(best.of(i));
            if (search.done()) continue;
            still.push_back(live[i]);
            kept.push_back(static_cast<std::int64_t>(i));
            // A vocabulary smaller than the beam leaves rows empty: copies that nothing follows.
            for (std::size_t k = 0; k < static_cast<std::size_t>(settings_.beam); ++k) {
                const bool real = k < search.tokens().size();
                parents.push_back(static_cast<std::int64_t>(i) * each + search.parents()[real ? k : 0]);
                tokens.push_back(search.tokens()[real ? k : 0]);
                before.push_back(real ? static_cast<float>(search.logProbabilities()[k])
                                      : -std::numeric_limits<float>::infinity());
            }
        }
        if (!isIdentity(parents, rows) && !still.empty()) cache.select(deviceIndex(parents, device));
        if (still.size() < live.size() && !still.empty()) select(memory, deviceIndex(kept, device));
        live = std::move(still);
    }
    std::vector<std::vector<Hypothesis>> texts;
    for (const BeamSearch& search : searches) texts.push_back(search.finished());
    return texts;
}

std::vector<std::vector<Hypothesis>> Writer::draw(const SourceGroup& group, const CancelToken& cancel) {
    const c10::Device device = net_.device();
    Memory memory = net_.encode(group.ids, group.lengths, {});
    std::vector<Draft> drafts;
    std::vector<std::int64_t> sentenceOf;
    for (std::size_t s = 0; s < group.lengths.size(); ++s)
        for (std::int64_t k = 0; k < settings_.beam; ++k) {
            const std::uint64_t source = settings_.firstRow + group.numbers[s];
            const auto stream = (source << 16) + static_cast<std::uint64_t>(k);
            drafts.push_back({s, stream, longest(group.lengths[s]), {{}, 0, 0, k}});
            sentenceOf.push_back(static_cast<std::int64_t>(s));
        }
    select(memory, deviceIndex(sentenceOf, device));
    DecodingCache cache = net_.newCache(static_cast<std::int64_t>(drafts.size()));
    std::vector<std::int64_t> tokens(drafts.size(), text::kEos);
    std::vector<std::vector<Hypothesis>> texts(group.lengths.size());
    while (!drafts.empty()) {
        if (cancel.requested()) return {};
        const std::int64_t step = cache.length();
        const StreamId id(settings_.seed, "sampler.token", static_cast<std::uint64_t>(step));
        Bound bound;
        std::vector<std::int64_t> kept;
        std::vector<float> u;
        for (std::size_t r = 0; r < drafts.size(); ++r) {
            const auto row = static_cast<std::int64_t>(r);
            if (step >= drafts[r].longest) bound.mustEnd.push_back(row);
            if (maybeConstraint_ != nullptr && drafts[r].text.draw == maybeConstraint_->draw)
                bound.constrained.push_back(row);
            u.push_back(tensor::uniformAt(id, drafts[r].stream));
        }
        const at::Tensor states = net_.extend(deviceIndex(tokens, device), memory, cache);
        ++calls_;
        const Drawn drawn = drawnFrom(allowed(states, step, bound), u, settings_);

        tokens.clear();
        std::vector<Draft> still;
        for (std::size_t r = 0; r < drafts.size(); ++r) {
            Draft& draft = drafts[r];
            const std::int32_t token = drawn.tokens[r];
            draft.text.logProbability += drawn.logProbability[r];
            if (token == text::kEos) {
                draft.end(settings_.lengthPenalty);
                texts[draft.sentence].push_back(std::move(draft.text));
                continue;
            }
            draft.text.ids.push_back(token);
            tokens.push_back(token);
            kept.push_back(static_cast<std::int64_t>(r));
            still.push_back(std::move(draft));
        }
        if (still.size() < drafts.size() && !still.empty()) {
            const at::Tensor rows = deviceIndex(kept, device);
            cache.select(rows);
            select(memory, rows);
        }
        drafts = std::move(still);
    }
    for (auto& all : texts)
        std::stable_sort(all.begin(), all.end(),
                         [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    return texts;
}

}  // namespace kurve::models::transformer
