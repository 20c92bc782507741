#pragma once

#include <map>
#include <optional>

#include "core/sampling/temperature.h"
#include "models/calm/calm_model.h"

namespace kurve::models::calm {

/// The sampler.* fields of CALM.
struct ChunkSampling {
    enum class Algorithm : std::uint8_t { Plain, Batch, Exact } algorithm = Algorithm::Plain;
    sampling::Exponent exponent;  ///< 1 / T
    std::int64_t draws = 1;       ///< a chunk, of the algorithm batch
    std::int64_t budget = 0;      ///< draws a chunk, of the algorithm exact
    HeadSampling head;
};
/// Errors: sampler.temperature.
Result<ChunkSampling> chunkSampling(const RunConfig& sampler);

/// A chunk that was drawn.
struct DrawnChunk {
    sampling::Outcome ids;  ///< [K]
    at::Tensor latent;      ///< [l]
    std::int64_t draws = 0, distinct = 0;
    std::int64_t matched = 1;  ///< copies by which the algorithm batch chose it
    double share = 1;          ///< of the draws that are equal to it
    double entropy = 0;        ///< of the draws, nats
    bool fellBack = false;     ///< the algorithm batch: its temperature was not reached
    bool forced = false;       ///< no draw began as the prompt ends: its beginning was set
    bool exhausted = false;    ///< the algorithm exact: no chunk within the budget; ids are empty
    struct Candidate {
        sampling::Outcome ids;
        double share = 0;  ///< of the draws
    };
    std::vector<Candidate> candidates = {};  ///< the most frequent draws, where they are kept
};

/// Draws the next chunk of a text.
class ChunkSampler {
public:
    /// `candidates`: how many of a chunk's most frequent draws are kept.
    ChunkSampler(CalmParts& parts, const ChunkSampling& how, std::uint64_t seed, std::size_t candidates = 0)
        : parts_(parts), how_(how), seed_(seed), candidates_(candidates) {}

    /// One for each state h [n, H] of texts `rows`; `beginnings` [n] are the first ids where they are known.
    [[nodiscard]] std::vector<DrawnChunk> next(const at::Tensor& h, std::span<const std::uint64_t> rows,
                                               std::span<const std::vector<std::int32_t>> beginnings,
                                               std::uint64_t chunk);
    /// A chunk that is not drawn.
    [[nodiscard]] static DrawnChunk given(CalmParts& parts, const sampling::Outcome& ids);

private:
    using Counts = std::map<sampling::Outcome, std::int64_t>;
    [[nodiscard]] std::vector<DrawnChunk::Candidate> mostFrequent(const Counts& counts) const;
    /// Draws of one state, [n, l] and their tokens.
    struct Draws {
        at::Tensor latents;
        std::vector<sampling::Outcome> outcomes;

        void add(Draws more);
    };
    [[nodiscard]] std::vector<Draws> drawn(const at::Tensor& h, std::int64_t count, const DrawRandom& random);
    /// Where nothing is known of the chunk; a plain draw is the algorithm batch of one draw.
    [[nodiscard]] std::vector<DrawnChunk> inRounds(const at::Tensor& h, std::span<const std::uint64_t> rows,
                                                   std::uint64_t chunk);
    /// Of one state, h [1, H]: where its chunk's beginning is known, and always of the algorithm exact.
    [[nodiscard]] DrawnChunk inOneBatch(const at::Tensor& h, std::uint64_t row,
                                        const std::vector<std::int32_t>& beginning, std::uint64_t chunk);
    [[nodiscard]] DrawnChunk chosen(const Draws& draws, const std::vector<std::int32_t>& beginning,
                                    RandomStream& random) const;
    [[nodiscard]] DrawnChunk described(const Draws& draws, const sampling::BatchDraw& found) const;
    [[nodiscard]] DrawnChunk exact(const at::Tensor& h, const std::vector<std::int32_t>& beginning,
                                   const DrawRandom& random, RandomStream& stream);

    CalmParts& parts_;
    const ChunkSampling& how_;
    std::uint64_t seed_;
    std::size_t candidates_;
};

}  // namespace kurve::models::calm
