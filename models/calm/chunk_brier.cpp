#include "models/calm/chunk_brier.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "models/calm/chunk_sampler.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"

namespace kurve::models::calm {
namespace {

using Draws = std::vector<metrics::TokenDraw>;

constexpr std::size_t kBrierRows = 32;
constexpr std::int64_t kBrierChunks = 1 << 13, kBrierVectors = 1 << 14;  // read and drawn at once
constexpr std::uint64_t kBrierSeed = 0x627269657220;                     // no noise of a text that is written
constexpr std::uint64_t kBrierStream = 1 << 20;                          // no chunk of a text that is written

/// A place where an n-gram begins.
struct Start {
    std::size_t row = 0;  ///< of the group
    std::int64_t chunk = 0;
    metrics::BrierTerms terms = {};
    metrics::TokenDraw agreed = {};  ///< of the last chunk; empty where none did
};

/// How a request is done: what holds for all of its texts.
struct BrierPlan {
    CalmParts& parts;
    const train::BrierRequest& request;
    ChunkSampling how;
    std::int64_t draws = 0, every = 0;
    std::int64_t chunks = 0;  ///< that an n-gram needs
};

/// Some texts of a request.
class ChunkedTexts {
public:
    ChunkedTexts(const BrierPlan& plan, std::span<const std::size_t> which)
        : plan_(plan),
          parts_(plan.parts),
          sizes_(parts_.net->sizes()),
          which_(which),
          cache_(parts_.net->newCache(static_cast<std::int64_t>(which.size()))) {
        const auto [ids, lengths] =
            padRows(plan.request.texts, which, parts_.net->device(), {sizes_.special.pad});
        chunks_ = chunksOf(ids, lengths, sizes_.chunk, sizes_.special);
        host_ = chunks_.ids.to(at::kCPU, at::kInt).contiguous();
        most_ = chunks_.ids.size(1);
        const at::Tensor inputs = inputsOf(readChunks(chunks_.ids, sizes_.special));
        states_ = plan.chunks == 1 ? parts_.net->states(inputs, {}) : parts_.net->extend(inputs, cache_);
        drawn_.resize(which.size() * static_cast<std::size_t>(most_));
    }

    void score(train::BrierStarts& out) {
        drawTeacherForced();
        // From the last start to the first: what is cached behind one is not needed any more.
        for (std::int64_t chunk = most_ - plan_.chunks; chunk >= 0; --chunk) {
            std::vector<Start> starts = startsAt(chunk);
            if (starts.empty()) continue;
            if ((out.cancelled = plan_.request.cancel.requested())) return;
            if (plan_.chunks > 1) follow(starts, chunk);
            for (const Start& start : starts)
                out.starts.push_back(
                    {static_cast<std::int64_t>(which_[start.row]), 1 + chunk * sizes_.chunk, start.terms});
        }
    }

private:
    [[nodiscard]] at::Tensor inputsOf(const at::Tensor& ids) {
        at::Tensor means;
        if (sizes_.readsLatents())
            means = parts_.codec()->encode(ids.flatten(0, 1)).mean.view({ids.size(0), ids.size(1), -1});
        return parts_.net->inputs(ids, means);
    }
    [[nodiscard]] std::span<const std::int32_t> truthAt(std::size_t row, std::int64_t chunk) const {
        const auto place = static_cast<std::int64_t>(row) * most_ + chunk;
        return {host_.const_data_ptr<std::int32_t>() + place * sizes_.chunk,
                static_cast<std::size_t>(sizes_.chunk)};
    }
    [[nodiscard]] Draws& drawnAt(std::size_t row, std::int64_t chunk) {
        return drawn_[row * static_cast<std::size_t>(most_) + static_cast<std::size_t>(chunk)];
    }
    /// For random numbers.
    [[nodiscard]] std::uint64_t placeOf(std::size_t row, std::int64_t chunk) const {
        return which_[row] << 20 | static_cast<std::uint64_t>(chunk);
    }
    [[nodiscard]] bool ends(std::int32_t id) const { return sizes_.special.isFrame(id); }
    [[nodiscard]] bool isEnded(const metrics::TokenDraw& chunk) const { return ends(chunk.back()); }

    [[nodiscard]] bool begins(std::size_t row, std::int64_t chunk) const {
        if (chunk * sizes_.chunk % plan_.every != 0) return false;
        for (std::int64_t i = chunk; i < chunk + plan_.chunks; ++i)
            for (const std::int32_t id : truthAt(row, i))
                if (ends(id)) return false;
        return true;
    }

    [[nodiscard]] std::vector<Start> startsAt(std::int64_t chunk) {
        std::vector<Start> starts;
        for (std::size_t row = 0; row < which_.size(); ++row)
            if (begins(row, chunk))
                starts.push_back(
                    {row, chunk,
                     metrics::termsOf(truthAt(row, chunk), drawnAt(row, chunk), plan_.request.estimator)});
        return starts;
    }

    /// Draws of states h [n, H], whose random numbers are those of `places`.
    [[nodiscard]] std::vector<Draws> draw(const at::Tensor& h, std::span<const std::uint64_t> places,
                                          std::uint64_t attempt) {
        std::vector<Draws> all;
        const std::int64_t states = std::max<std::int64_t>(1, kBrierVectors / plan_.draws);
        for (std::int64_t first = 0; first < h.size(0); first += states) {
            const std::int64_t count = std::min(states, h.size(0) - first);
            const auto of = places.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
            const at::Tensor some = h.narrow(0, first, count);
            for (Draws& draws : plan_.how.algorithm == ChunkSampling::Algorithm::Plain
                                    ? plainDraws(some, of, attempt)
                                    : temperedDraws(some, of, attempt))
                all.push_back(std::move(draws));
            if (plan_.request.alive) plan_.request.alive();
        }
        return all;
    }

    [[nodiscard]] std::vector<Draws> plainDraws(const at::Tensor& h, std::span<const std::uint64_t> places,
                                                std::uint64_t attempt) const {
        const at::Tensor z = parts_.head->sample(
            h, plan_.draws, {plan_.request.seed, kBrierStream, attempt, {places.begin(), places.end()}},
            plan_.how.head);
        const at::Tensor ids = parts_.codec()->tokensOf(z).to(at::kCPU, at::kInt).contiguous();
        const auto* id = ids.const_data_ptr<std::int32_t>();
        std::vector<Draws> all(places.size());
        for (Draws& draws : all)
            for (std::int64_t d = 0; d < plan_.draws; ++d, id += sizes_.chunk)
                draws.push_back(cut({id, id + sizes_.chunk}));
        return all;
    }

    /// At the sampler's temperature, each draw by an algorithm of its own. Where the budget of one is spent
    /// it equals nothing, neither the truth nor another draw.
    [[nodiscard]] std::vector<Draws> temperedDraws(const at::Tensor& h, std::span<const std::uint64_t> places,
                                                   std::uint64_t attempt) const {
        std::vector<std::uint64_t> rows;
        for (const std::uint64_t place : places)
            for (std::int64_t d = 0; d < plan_.draws; ++d)
                rows.push_back(place * static_cast<std::uint64_t>(plan_.draws) +
                               static_cast<std::uint64_t>(d));
        const std::vector<metrics::TokenDraw> nothing(rows.size());
        const std::uint64_t seed = plan_.request.seed ^ kBrierSeed;
        const auto drawn = ChunkSampler(parts_, plan_.how, seed)
                               .next(h.repeat_interleave(plan_.draws, 0), rows, nothing, attempt);
        std::vector<Draws> all(places.size());
        for (std::size_t i = 0; i < drawn.size(); ++i)
            all[i / static_cast<std::size_t>(plan_.draws)].push_back(
                drawn[i].exhausted ? metrics::TokenDraw(static_cast<std::size_t>(sizes_.chunk),
                                                        -1 - static_cast<std::int32_t>(i))
                                   : cut(drawn[i].ids));
        return all;
    }

    /// A text is over at its first </s>, <s> or <pad>, whatever stands behind.
    [[nodiscard]] metrics::TokenDraw cut(metrics::TokenDraw chunk) const {
        const auto end = std::find_if(chunk.begin(), chunk.end(), [&](std::int32_t id) { return ends(id); });
        std::fill(end, chunk.end(), sizes_.special.eos);
        return chunk;
    }

    /// Of every chunk that some start needs.
    void drawTeacherForced() {
        std::vector<std::int64_t> indices;
        std::vector<std::uint64_t> places;
        for (std::size_t row = 0; row < which_.size(); ++row) {
            std::int64_t next = 0;  // first chunk that is not among them
            for (std::int64_t chunk = 0; chunk + plan_.chunks <= most_; ++chunk) {
                if (!begins(row, chunk)) continue;
                for (next = std::max(next, chunk); next < chunk + plan_.chunks; ++next) {
                    indices.push_back(static_cast<std::int64_t>(row) * most_ + next);
                    places.push_back(placeOf(row, next));
                }
            }
        }
        if (indices.empty()) return;
        const at::Tensor index = toDevice(std::span<const std::int64_t>(indices), states_.device());
        auto draws = draw(states_.flatten(0, 1).index_select(0, index), places, 0);
        for (std::size_t i = 0; i < indices.size(); ++i)
            drawn_[static_cast<std::size_t>(indices[i])] = std::move(draws[i]);
    }

    /// What agreed, of the draws of a start's chunk `chunk`.
    void agree(Start& start, const Draws& draws, std::int64_t chunk) const {
        RandomStream stream(plan_.request.seed, fmt::format("brier.agreed/{}", chunk - start.chunk),
                            placeOf(start.row, start.chunk));
        const auto agreed = metrics::agreedDraw(draws, stream, plan_.request.estimator);
        start.agreed = agreed ? draws[*agreed] : metrics::TokenDraw();
    }

    /// The chunks behind the first of starts at one place.
    void follow(std::vector<Start>& starts, std::int64_t first) {
        cache_.truncate(first + 1);
        for (Start& start : starts) agree(start, drawnAt(start.row, first), first);
        for (std::int64_t chunk = first + 1; chunk < first + plan_.chunks; ++chunk) {
            const std::vector<Draws> chains = chainsOf(starts, chunk);
            for (std::size_t i = 0; i < starts.size(); ++i) {
                Start& start = starts[i];
                const auto terms = metrics::followingTerms(
                    truthAt(start.row, chunk), drawnAt(start.row, chunk), chains[i], plan_.request.estimator);
                start.terms = metrics::combine(start.terms, terms);
                if (!chains[i].empty()) agree(start, chains[i], chunk);
            }
        }
    }

    /// By start, draws of a chunk behind those that agreed; none where none did. Behind an end it is certain.
    [[nodiscard]] std::vector<Draws> chainsOf(const std::vector<Start>& starts, std::int64_t chunk) {
        const auto width = static_cast<std::size_t>(sizes_.chunk);
        std::vector<Draws> chains(starts.size());
        std::vector<std::int64_t> ids(which_.size() * width, sizes_.special.pad), live;
        std::vector<std::size_t> liveStarts;
        std::vector<std::uint64_t> places;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const Start& start = starts[i];
            if (start.agreed.empty()) continue;
            if (isEnded(start.agreed)) {
                chains[i].assign(static_cast<std::size_t>(plan_.draws),
                                 metrics::TokenDraw(width, sizes_.special.eos));
                continue;
            }
            std::copy(start.agreed.begin(), start.agreed.end(),
                      ids.begin() + static_cast<std::ptrdiff_t>(start.row * width));
            live.push_back(static_cast<std::int64_t>(start.row));
            liveStarts.push_back(i);
            places.push_back(placeOf(start.row, start.chunk));
        }
        if (live.empty()) return chains;
        KURVE_CHECK(cache_.length() == chunk, "{} chunks read before chunk {}", cache_.length(), chunk);
        const at::Device device = states_.device();
        const at::Tensor read = toDevice(std::span<const std::int64_t>(ids), device)
                                    .view({static_cast<std::int64_t>(which_.size()), 1, sizes_.chunk}),
                         h = parts_.net->extend(inputsOf(read), cache_).squeeze(1);
        auto draws = draw(h.index_select(0, toDevice(std::span<const std::int64_t>(live), device)), places,
                          static_cast<std::uint64_t>(chunk - starts.front().chunk));
        for (std::size_t i = 0; i < draws.size(); ++i) chains[liveStarts[i]] = std::move(draws[i]);
        return chains;
    }

    const BrierPlan& plan_;
    CalmParts& parts_;
    const CalmSizes& sizes_;
    std::span<const std::size_t> which_;
    DecodingCache cache_;
    TextChunks chunks_;
    at::Tensor host_;    ///< the chunks' tokens
    at::Tensor states_;  ///< [n, C, H]: state i predicts chunk i
    std::int64_t most_ = 0;
    std::vector<Draws> drawn_;  ///< by text and chunk, behind the true ones
};

Error unevenStarts(std::int64_t every, std::int64_t chunk) {
    return requestError("score.brier_every",
                        fmt::format("starts every {} tokens, the model has one every {}", every, chunk))
        .at("brier-every")
        .fix(fmt::format("take a multiple of {}", chunk));
}

}  // namespace

Result<train::BrierStarts> chunkBrier(CalmParts& parts, const train::BrierRequest& request,
                                      const RunConfig& sampler) {
    const CalmSizes& sizes = parts.net->sizes();
    const bool published = request.estimator == metrics::PairEstimator::TwoSamples;
    constexpr auto kOrders = static_cast<std::int64_t>(metrics::kBrierOrders);
    KURVE_TRY(const ChunkSampling how, chunkSampling(sampler));
    const BrierPlan plan{parts,
                         request,
                         how,
                         published ? 2 : request.draws,
                         request.every > 0 ? request.every : sizes.chunk,
                         (kOrders + sizes.chunk - 1) / sizes.chunk};
    if (plan.every % sizes.chunk != 0) return unevenStarts(plan.every, sizes.chunk);
    KURVE_CHECKED(checkLengths(request.texts, (sizes.maxChunks - 1) * sizes.chunk + 1));
    const c10::InferenceMode inference;
    const Evaluating evaluating(*parts.net);
    train::BrierStarts out;
    out.every = plan.every;
    out.estimator = fmt::format("draws:{}|estimator:{}", plan.draws, published ? "two-samples" : "all-pairs");
    if (how.algorithm != ChunkSampling::Algorithm::Plain)
        out.estimator += fmt::format("|temperature:{}|algorithm:{}", sampler.real("sampler.temperature"),
                                     sampler.text("sampler.algorithm"));
    const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(1, kBrierChunks / sizes.maxChunks));
    for (const auto& which : groupsByLength(request.texts, std::min(rows, kBrierRows))) {
        ChunkedTexts(plan, which).score(out);
        if (out.cancelled) break;
    }
    return out;
}

}  // namespace kurve::models::calm
