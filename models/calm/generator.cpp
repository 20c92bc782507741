#include "models/calm/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>

#include "models/calm/chunk_edits.h"
#include "models/calm/chunk_recorder.h"
#include "models/calm/chunk_sampler.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"

namespace kurve::models::calm {
namespace {

using Ids = std::vector<std::int32_t>;

bool ends(std::int32_t id, const text::SpecialIds& special) {
    return special.isFrame(id);
}

/// The known beginning of a text, without <s>. Errors: prompt.unsupported, sample.too_long.
Result<Ids> knownOf(const train::GenerateRequest& request, std::size_t row, const CalmSizes& sizes) {
    if (request.templates.empty()) return Ids();
    const text::TextTemplate& known = request.templates[row];
    const bool blanks = std::find(known.ids.begin(), known.ids.end(), sizes.special.mask) != known.ids.end();
    if (!known.open || blanks)
        return requestError("prompt.unsupported",
                            "a model of chunks goes on after a text, it fills in no blanks")
            .at("prompt")
            .fix("give a text without blanks");
    Ids ids(known.ids.begin() + 1, known.ids.end());
    const std::int64_t longest = (sizes.maxChunks - 2) * sizes.chunk;
    if (static_cast<std::int64_t>(ids.size()) > longest)
        return requestError("sample.too_long",
                            fmt::format("the prefix has {} tokens, the model goes on after at most {}",
                                        ids.size(), longest))
            .at("prompt")
            .fix("shorten the prompt");
    return ids;
}

/// A text that is being written.
struct Text {
    std::size_t number = 0;  ///< in the request
    Ids known, ids;          ///< ids: whole chunks, with what ends the text
    std::vector<DrawnChunk> drawn;
    std::map<std::string, train::MeanAccumulator> statistics;
    bool done = false;
};

/// Writes texts of equally many known chunks side by side.
class Writer {
public:
    /// The edits are of text 0. `candidates`: how many of a chunk's draws are kept.
    Writer(CalmParts& parts, const ChunkSampling& how, const train::GenerateRequest& request,
           std::int64_t maxTokens, ChunkEdits edits, std::size_t candidates)
        : parts_(parts),
          how_(how),
          request_(request),
          edits_(std::move(edits)),
          candidates_(candidates),
          sampler_(parts, how, request.seed, candidates),
          sizes_(parts.net->sizes()),
          most_(std::min((maxTokens + sizes_.chunk - 1) / sizes_.chunk, sizes_.maxChunks - 1)) {}

    /// False if cancelled.
    bool write(std::vector<Text>& texts) {
        const auto rows = static_cast<std::int64_t>(texts.size());
        DecodingCache cache = parts_.net->newCache(rows);
        at::Tensor h = begin(texts, cache);
        auto chunk = static_cast<std::int64_t>(texts.front().known.size()) / sizes_.chunk;
        for (; chunk < most_; ++chunk) {
            if (request_.cancel.requested()) return false;
            const std::vector<std::int64_t> live = going(texts);
            if (live.empty()) break;
            const at::Tensor latents = draw(texts, live, h, static_cast<std::uint64_t>(chunk));
            if (chunk + 1 < most_) h = parts_.net->extend(lastChunks(texts, latents), cache).squeeze(1);
            ++calls_;
        }
        return true;
    }
    [[nodiscard]] std::int64_t calls() const { return calls_; }

private:
    [[nodiscard]] static std::vector<std::int64_t> going(const std::vector<Text>& texts) {
        std::vector<std::int64_t> live;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (!texts[i].done) live.push_back(static_cast<std::int64_t>(i));
        return live;
    }

    /// Reads the chunk of <s> and the known whole ones; the last state, [R, H].
    at::Tensor begin(std::vector<Text>& texts, DecodingCache& cache) {
        const auto whole = static_cast<std::int64_t>(texts.front().known.size()) / sizes_.chunk;
        std::vector<std::int64_t> ids;
        for (Text& text : texts) {
            text.ids.assign(text.known.begin(), text.known.begin() + whole * sizes_.chunk);
            ids.insert(ids.end(), static_cast<std::size_t>(sizes_.chunk), sizes_.special.bos);
            ids.insert(ids.end(), text.ids.begin(), text.ids.end());
        }
        const at::Tensor chunks = toDevice(std::span<const std::int64_t>(ids), parts_.net->device())
                                      .view({static_cast<std::int64_t>(texts.size()), -1, sizes_.chunk});
        at::Tensor latents;
        if (sizes_.readsLatents())
            latents =
                parts_.codec()->encode(chunks.flatten(0, 1)).mean.view({chunks.size(0), chunks.size(1), -1});
        ++calls_;
        return parts_.net->extend(parts_.net->inputs(chunks, latents), cache).select(1, -1);
    }

    /// Draws the next chunk of those texts; the vectors of all, [R, l].
    at::Tensor draw(std::vector<Text>& texts, const std::vector<std::int64_t>& live, const at::Tensor& h,
                    std::uint64_t chunk) {
        std::vector<std::uint64_t> rows;
        std::vector<Ids> beginnings;
        for (const std::int64_t i : live) {
            const Text& text = texts[static_cast<std::size_t>(i)];
            rows.push_back(request_.firstRow + text.number);
            beginnings.emplace_back(text.known.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min(text.ids.size(), text.known.size())),
                                    text.known.end());
        }
        const at::Tensor index = toDevice(std::span<const std::int64_t>(live), h.device());
        auto drawn = sampler_.next(h.index_select(0, index), rows, beginnings, chunk);
        for (std::size_t k = 0; k < live.size(); ++k)
            if (texts[static_cast<std::size_t>(live[k])].number == 0 &&
                edits_.actsOn(static_cast<std::int64_t>(chunk)))
                drawn[k] = edited(h.narrow(0, live[k], 1), rows[k], beginnings[k], chunk);
        at::Tensor latents = at::zeros({h.size(0), sizes_.latent}, h.options());
        for (std::size_t k = 0; k < live.size(); ++k) {
            Text& text = texts[static_cast<std::size_t>(live[k])];
            if (!drawn[k].exhausted) latents[live[k]].copy_(drawn[k].latent);
            add(text, std::move(drawn[k]));
        }
        return latents;
    }

    DrawnChunk edited(const at::Tensor& h, std::uint64_t row, const Ids& beginning, std::uint64_t chunk) {
        const auto at = static_cast<std::int64_t>(chunk);
        if (const auto* maybeForced = edits_.maybeForced(at))
            return ChunkSampler::given(parts_, *maybeForced);
        const ChunkSampling& how = edits_.samplingAt(at, how_);
        ChunkSampler sampler(parts_, how, edits_.seedAt(at, request_.seed), candidates_);
        return std::move(sampler.next(h, {&row, 1}, {&beginning, 1}, chunk).front());
    }

    void add(Text& text, DrawnChunk drawn) {
        const auto count = [&](const char* name, double value) {
            auto& mean = text.statistics[name];
            mean.sum += value;
            ++mean.count;
        };
        count("fell_back", drawn.fellBack ? 1 : 0);
        count("draws", static_cast<double>(drawn.draws));
        if (drawn.draws > 1)
            count("draws_distinct", static_cast<double>(drawn.distinct) / static_cast<double>(drawn.draws));
        if (drawn.forced) count("prompt_forced", 1);
        if (drawn.exhausted) count("budget_spent", 1);
        text.done = drawn.exhausted;
        // Behind what ends the text there is nothing.
        for (std::size_t i = 0; i < drawn.ids.size(); ++i) {
            if (text.done) drawn.ids[i] = sizes_.special.pad;
            text.done = text.done || ends(drawn.ids[i], sizes_.special);
        }
        text.ids.insert(text.ids.end(), drawn.ids.begin(), drawn.ids.end());
        if (!drawn.exhausted) text.drawn.push_back(std::move(drawn));
    }

    /// Inputs of the last chunk of every text, [R, 1, H].
    at::Tensor lastChunks(const std::vector<Text>& texts, const at::Tensor& latents) {
        std::vector<std::int64_t> ids;
        for (const Text& text : texts)
            if (text.ids.empty())
                ids.insert(ids.end(), static_cast<std::size_t>(sizes_.chunk), sizes_.special.pad);
            else
                ids.insert(ids.end(), text.ids.end() - sizes_.chunk, text.ids.end());
        const at::Tensor chunks =
            toDevice(std::span<const std::int64_t>(ids), latents.device()).view({-1, 1, sizes_.chunk});
        return parts_.net->inputs(chunks, latents.unsqueeze(1));
    }

    CalmParts& parts_;
    const ChunkSampling& how_;
    const train::GenerateRequest& request_;
    ChunkEdits edits_;
    std::size_t candidates_;
    ChunkSampler sampler_;
    const CalmSizes& sizes_;
    std::int64_t most_, calls_ = 0;
};

train::GeneratedRow rowOf(Text& text, const text::SpecialIds& special) {
    train::GeneratedRow row;
    // Where no chunk was drawn, the prompt's end is in none.
    if (text.ids.size() < text.known.size())
        text.ids.insert(text.ids.end(), text.known.begin() + static_cast<std::ptrdiff_t>(text.ids.size()),
                        text.known.end());
    for (const std::int32_t id : text.ids)
        if (!special.isFrame(id)) row.best.ids.push_back(id);
    row.best.sampleStatistics = std::move(text.statistics);
    row.candidates = {row.best};
    return row;
}

}  // namespace

Result<train::Generation> generateWith(CalmParts& parts, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    KURVE_TRY(const ChunkSampling how, chunkSampling(sampler));
    const CalmSizes& sizes = parts.net->sizes();
    const c10::InferenceMode inference;
    const Evaluating evaluating(*parts.net);
    std::map<std::size_t, std::vector<Text>> byChunks;
    ChunkEdits edits;
    for (std::size_t i = 0; i < request.sources.size(); ++i) {
        KURVE_TRY(Ids known, knownOf(request, i, sizes));
        if (i == 0) {
            KURVE_TRY(edits, ChunkEdits::of(request, sampler, sizes, known));
        }
        const std::size_t whole = known.size() / static_cast<std::size_t>(sizes.chunk);
        byChunks[whole].push_back({i, std::move(known), {}, {}, {}, false});
    }
    train::Generation out;
    out.rows.resize(request.sources.size());
    Writer writer(parts, how, request, sampler.integer("sampler.max_tokens"), std::move(edits),
                  maybeTrace != nullptr ? trace::kTopCandidates : 0);
    const auto size = static_cast<std::size_t>(sampler.integer("sampler.batch_size"));
    for (auto& [whole, texts] : byChunks)
        for (std::size_t first = 0; first < texts.size(); first += size) {
            const auto begin = texts.begin() + static_cast<std::ptrdiff_t>(first);
            std::vector<Text> some(std::make_move_iterator(begin),
                                   std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(std::min(
                                                                       size, texts.size() - first))));
            out.cancelled = !writer.write(some);
            out.networkCalls = writer.calls();
            if (out.cancelled) return out;
            for (Text& text : some) {
                if (text.number == 0 && maybeTrace != nullptr)
                    recordChunks(parts, request, {text.known, text.ids, text.drawn}, *maybeTrace);
                out.rows[text.number] = rowOf(text, sizes.special);
            }
        }
    return out;
}

}  // namespace kurve::models::calm
