#include "models/calm/chunk_sampler.h"

#include <torch/torch.h>

#include <algorithm>
#include <map>

#include "models/calm/calm_fields.h"

namespace kurve::models::calm {
namespace {

using sampling::Outcome;

constexpr std::int64_t kPromptDraws = 200;  ///< at least, of a chunk whose beginning is known
constexpr std::int64_t kExactBatch = 64;

bool begins(const Outcome& outcome, const std::vector<std::int32_t>& beginning) {
    return std::equal(beginning.begin(), beginning.end(), outcome.begin());
}

}  // namespace

Result<ChunkSampling> chunkSampling(const RunConfig& sampler) {
    using Algorithm = ChunkSampling::Algorithm;
    ChunkSampling how;
    how.head = headSampling(sampler);
    const std::string& name = sampler.text("sampler.algorithm");
    if (name == "plain") return how;
    how.algorithm = name == "batch" ? Algorithm::Batch : Algorithm::Exact;
    how.draws = sampler.integer("sampler.draws");
    how.budget = sampler.integer("sampler.max_draws");
    const double temperature = sampler.real("sampler.temperature");
    KURVE_TRY(how.exponent, sampling::exponentOf(temperature));
    if (how.algorithm == Algorithm::Batch) {
        KURVE_TRY(how.exponent.whole, sampling::reciprocal(temperature));
        how.exponent.fraction = 0;
    }
    return how;
}

std::vector<ChunkSampler::Draws> ChunkSampler::drawn(const at::Tensor& h, std::int64_t count,
                                                     const DrawRandom& random) {
    const at::Tensor z = parts_.head->sample(h, count, random, how_.head),
                     ids = parts_.codec()->tokensOf(z).to(at::kCPU, at::kInt).contiguous();
    const std::int64_t width = ids.size(2);
    const auto* id = ids.const_data_ptr<std::int32_t>();
    std::vector<Draws> all;
    for (std::int64_t row = 0; row < h.size(0); ++row) {
        Draws draws{z[row], {}};
        for (std::int64_t d = 0; d < count; ++d, id += width) draws.outcomes.emplace_back(id, id + width);
        all.push_back(std::move(draws));
    }
    return all;
}

DrawnChunk ChunkSampler::chosen(const Draws& draws, const std::vector<std::int32_t>& beginning,
                                RandomStream& random) const {
    std::vector<Outcome> fitting;
    for (const Outcome& one : draws.outcomes)
        if (begins(one, beginning)) fitting.push_back(one);
    DrawnChunk out;
    out.draws = static_cast<std::int64_t>(draws.outcomes.size());
    out.forced = fitting.empty();
    if (out.forced) {
        out.ids = draws.outcomes.front();
    } else {
        // One draw and n = 1: a plain draw.
        const auto taken = how_.algorithm == ChunkSampling::Algorithm::Batch
                               ? std::span<const Outcome>(fitting)
                               : std::span<const Outcome>(fitting).first(1);
        const sampling::BatchDraw found = sampling::drawBatch(taken, how_.exponent.whole, random);
        out.ids = found.outcome;
        out.matched = found.matched;
        out.fellBack = how_.algorithm == ChunkSampling::Algorithm::Batch && found.fellBack;
        out.distinct = found.distinct;
        out.entropy = found.entropy;
    }
    const auto same = std::count(draws.outcomes.begin(), draws.outcomes.end(), out.ids);
    out.share = static_cast<double>(same) / static_cast<double>(out.draws);
    const auto at = std::find(draws.outcomes.begin(), draws.outcomes.end(), out.ids) - draws.outcomes.begin();
    out.latent = draws.latents[at];
    if (!out.forced) return out;
    std::copy(beginning.begin(), beginning.end(), out.ids.begin());
    auto codec = parts_.codec();  // the vector of what is read now
    out.latent = codec->encode(at::tensor(out.ids).to(codec->device(), at::kLong).unsqueeze(0)).mean[0];
    return out;
}

DrawnChunk ChunkSampler::exact(const at::Tensor& h, const std::vector<std::int32_t>& beginning,
                               const DrawRandom& random, RandomStream& stream) {
    std::map<Outcome, at::Tensor> latents;
    std::int64_t made = 0;
    DrawRandom next = random;
    // Draws that do not begin as the text does are none of this law's; they cost all the same.
    const auto draw = [&](std::int64_t count) {
        std::vector<Outcome> fitting;
        while (static_cast<std::int64_t>(fitting.size()) < count && made < how_.budget) {
            const std::int64_t batch = std::min(std::max(count, kExactBatch), how_.budget - made);
            const Draws draws = drawn(h, batch, next).front();
            made += batch;
            ++next.attempt;
            for (std::size_t i = 0; i < draws.outcomes.size(); ++i) {
                if (!begins(draws.outcomes[i], beginning)) continue;
                latents.try_emplace(draws.outcomes[i], draws.latents[static_cast<std::int64_t>(i)]);
                if (static_cast<std::int64_t>(fitting.size()) < count) fitting.push_back(draws.outcomes[i]);
            }
        }
        return fitting;
    };
    const sampling::ExactDraw found =
        sampling::drawExact(draw, how_.exponent, {how_.budget, kExactBatch}, stream);
    DrawnChunk out;
    out.draws = made;
    out.distinct = static_cast<std::int64_t>(latents.size());
    out.exhausted = found.exhausted;
    if (found.outcome) {
        out.ids = *found.outcome;
        out.latent = latents.at(out.ids);
    }
    return out;
}

std::vector<DrawnChunk> ChunkSampler::next(const at::Tensor& h, std::span<const std::uint64_t> rows,
                                           std::span<const std::vector<std::int32_t>> beginnings,
                                           std::uint64_t chunk) {
    const bool isExact = how_.algorithm == ChunkSampling::Algorithm::Exact;
    const bool begun =
        std::any_of(beginnings.begin(), beginnings.end(), [](const auto& b) { return !b.empty(); });
    const std::int64_t count = begun ? std::max(how_.draws, kPromptDraws) : how_.draws;
    std::vector<Draws> all;
    if (!isExact) all = drawn(h, count, {seed_, chunk, 0, {rows.begin(), rows.end()}});
    std::vector<DrawnChunk> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        // A text draws no more because another one beside it has a beginning.
        if (!isExact && beginnings[i].empty()) all[i].outcomes.resize(static_cast<std::size_t>(how_.draws));
        RandomStream stream(seed_, "calm.choice", rows[i] << 20 | chunk);
        const auto row = static_cast<std::int64_t>(i);
        out.push_back(isExact
                          ? exact(h.narrow(0, row, 1), beginnings[i], {seed_, chunk, 0, {rows[i]}}, stream)
                          : chosen(all[i], beginnings[i], stream));
    }
    return out;
}

}  // namespace kurve::models::calm
