#include "models/calm/chunk_sampler.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "models/calm/calm_fields.h"
#include "models/common/padding.h"

namespace kurve::models::calm {
namespace {

using sampling::Outcome;

constexpr std::int64_t kPromptDraws = 200;  ///< at least, of a chunk whose beginning is known
constexpr std::int64_t kExactBatch = 64, kFirstRound = 32;

RandomStream choiceStream(std::uint64_t seed, std::uint64_t row, std::uint64_t chunk) {
    return {seed, "calm.choice", row << 20 | chunk};
}

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

void ChunkSampler::Draws::add(Draws more) {
    latents = latents.defined() ? at::cat({latents, more.latents}) : std::move(more.latents);
    for (Outcome& outcome : more.outcomes) outcomes.push_back(std::move(outcome));
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

std::vector<DrawnChunk> ChunkSampler::inRounds(const at::Tensor& h, std::span<const std::uint64_t> rows,
                                               std::uint64_t chunk) {
    struct Row {
        sampling::BatchInRounds batch;
        RandomStream stream;
        Draws draws;
    };
    std::vector<Row> all;
    std::vector<std::int64_t> open(rows.size());
    std::iota(open.begin(), open.end(), std::int64_t{0});
    for (const std::uint64_t row : rows)
        all.push_back({{how_.draws, how_.exponent.whole}, choiceStream(seed_, row, chunk), {}});
    std::vector<DrawnChunk> out(rows.size());
    DrawRandom random{seed_, chunk, 0, {}};
    for (std::int64_t made = 0; !open.empty(); ++random.attempt) {
        const std::int64_t count = std::min(std::max(kFirstRound, made), how_.draws - made);
        random.rows.clear();
        for (const std::int64_t i : open) random.rows.push_back(rows[static_cast<std::size_t>(i)]);
        const at::Tensor index = toDevice(std::span<const std::int64_t>(open), h.device());
        std::vector<Draws> more = drawn(h.index_select(0, index), count, random);
        made += count;
        std::vector<std::int64_t> still;
        for (std::size_t k = 0; k < open.size(); ++k) {
            Row& row = all[static_cast<std::size_t>(open[k])];
            row.draws.add(std::move(more[k]));
            if (const auto found = row.batch.choose(row.draws.outcomes, row.stream))
                out[static_cast<std::size_t>(open[k])] = described(row.draws, *found);
            else
                still.push_back(open[k]);
        }
        open = std::move(still);
    }
    return out;
}

DrawnChunk ChunkSampler::chosen(const Draws& draws, const std::vector<std::int32_t>& beginning,
                                RandomStream& random) const {
    std::vector<Outcome> fitting;
    for (const Outcome& one : draws.outcomes)
        if (begins(one, beginning)) fitting.push_back(one);
    if (fitting.empty()) {
        DrawnChunk out = described(draws, {draws.outcomes.front(), 1});
        out.forced = true;
        std::copy(beginning.begin(), beginning.end(), out.ids.begin());
        out.latent = given(parts_, out.ids).latent;
        return out;
    }
    // One draw and n = 1: a plain draw.
    const bool isBatch = how_.algorithm == ChunkSampling::Algorithm::Batch;
    const auto taken =
        isBatch ? std::span<const Outcome>(fitting) : std::span<const Outcome>(fitting).first(1);
    DrawnChunk out = described(draws, sampling::drawBatch(taken, how_.exponent.whole, random));
    out.fellBack = out.fellBack && isBatch;
    return out;
}

DrawnChunk ChunkSampler::given(CalmParts& parts, const Outcome& ids) {
    auto codec = parts.codec();
    DrawnChunk out;
    out.ids = ids;
    out.latent = codec->encode(at::tensor(ids).to(codec->device(), at::kLong).unsqueeze(0)).mean[0];
    return out;
}

std::vector<DrawnChunk::Candidate> ChunkSampler::mostFrequent(const Counts& counts) const {
    std::vector<DrawnChunk::Candidate> all;
    double sum = 0;
    for (const auto& [ids, count] : counts) {
        all.push_back({ids, static_cast<double>(count)});
        sum += static_cast<double>(count);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    all.resize(std::min(all.size(), candidates_));
    for (auto& one : all) one.share /= sum;
    return all;
}

DrawnChunk ChunkSampler::described(const Draws& draws, const sampling::BatchDraw& found) const {
    DrawnChunk out;
    out.draws = static_cast<std::int64_t>(draws.outcomes.size());
    out.ids = found.outcome;
    out.matched = found.matched;
    out.fellBack = found.fellBack;
    out.distinct = found.distinct;
    out.entropy = found.entropy;
    const auto same = std::count(draws.outcomes.begin(), draws.outcomes.end(), out.ids);
    out.share = static_cast<double>(same) / static_cast<double>(out.draws);
    const auto at = std::find(draws.outcomes.begin(), draws.outcomes.end(), out.ids) - draws.outcomes.begin();
    out.latent = draws.latents[at];
    if (candidates_ > 0) {
        Counts counts;
        for (const Outcome& one : draws.outcomes) ++counts[one];
        out.candidates = mostFrequent(counts);
    }
    return out;
}

DrawnChunk ChunkSampler::exact(const at::Tensor& h, const std::vector<std::int32_t>& beginning,
                               const DrawRandom& random, RandomStream& stream) {
    std::map<Outcome, at::Tensor> latents;
    Counts counts;
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
                ++counts[draws.outcomes[i]];
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
    out.candidates = mostFrequent(counts);
    if (found.outcome) {
        out.ids = *found.outcome;
        out.latent = latents.at(out.ids);
    }
    return out;
}

DrawnChunk ChunkSampler::inOneBatch(const at::Tensor& h, std::uint64_t row,
                                    const std::vector<std::int32_t>& beginning, std::uint64_t chunk) {
    const DrawRandom random{seed_, chunk, 0, {row}};
    RandomStream stream = choiceStream(seed_, row, chunk);
    if (how_.algorithm == ChunkSampling::Algorithm::Exact) return exact(h, beginning, random, stream);
    return chosen(drawn(h, std::max(how_.draws, kPromptDraws), random).front(), beginning, stream);
}

std::vector<DrawnChunk> ChunkSampler::next(const at::Tensor& h, std::span<const std::uint64_t> rows,
                                           std::span<const std::vector<std::int32_t>> beginnings,
                                           std::uint64_t chunk) {
    std::vector<DrawnChunk> out(rows.size());
    std::vector<std::int64_t> open;  // nothing is known of their chunk: drawn together
    std::vector<std::uint64_t> openRows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if (how_.algorithm != ChunkSampling::Algorithm::Exact && beginnings[i].empty()) {
            open.push_back(at);
            openRows.push_back(rows[i]);
        } else {
            out[i] = inOneBatch(h.narrow(0, at, 1), rows[i], beginnings[i], chunk);
        }
    }
    if (open.empty()) return out;
    const at::Tensor index = toDevice(std::span<const std::int64_t>(open), h.device());
    std::vector<DrawnChunk> found = inRounds(h.index_select(0, index), openRows, chunk);
    for (std::size_t k = 0; k < open.size(); ++k)
        out[static_cast<std::size_t>(open[k])] = std::move(found[k]);
    return out;
}

}  // namespace kurve::models::calm
