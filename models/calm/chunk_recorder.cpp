#include "models/calm/chunk_recorder.h"

#include <torch/torch.h>

#include <limits>
#include <map>
#include <span>

#include "models/common/chunk_frame.h"
#include "models/common/padding.h"
#include "models/common/trace_recorder.h"

namespace kurve::models::calm {
namespace {

using trace::TokenState;

TokenState stateOf(int chunk, int given, int now) {
    if (chunk < given) return TokenState::Given;
    if (chunk > now) return TokenState::Masked;
    return chunk == now ? TokenState::New : TokenState::Kept;
}

/// Vectors of all chunks: of known ones the mean. [C, l]
at::Tensor latentsOf(CalmParts& parts, const WrittenText& text) {
    auto codec = parts.codec();
    const std::vector<std::int64_t> ids(text.ids.begin(), text.ids.end());
    at::Tensor latents = codec
                             ->encode(toDevice(std::span<const std::int64_t>(ids), codec->device())
                                          .view({-1, codec->sizes().chunk}))
                             .mean.clone();
    const std::int64_t given = latents.size(0) - static_cast<std::int64_t>(text.drawn.size());
    for (std::size_t i = 0; i < text.drawn.size(); ++i)
        latents[given + static_cast<std::int64_t>(i)].copy_(text.drawn[i].latent);
    return latents;
}

/// Numbers of the texts of chunks, as they occur.
class ChunkTexts {
public:
    explicit ChunkTexts(const train::GenerateRequest& request) : request_(request) {}
    /// Its number in the frame.
    std::uint32_t add(std::span<const std::int32_t> chunk, trace::Trace& frame) {
        std::string text;
        for (const std::int32_t id : chunk)
            if (request_.tokenText) text += request_.tokenText(id);
        const std::uint32_t number =
            numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
        frame.tokenTexts[number] = std::move(text);
        return number;
    }

private:
    const train::GenerateRequest& request_;
    std::map<std::string, std::uint32_t> numbers_;
};

/// Texts of the chunks up to `now`, and the draws that chunk `now` was chosen among.
void addTexts(trace::Trace& frame, const WrittenText& text, int given, int now, ChunkTexts& texts) {
    const int chunks = given + static_cast<int>(text.drawn.size());
    const std::size_t each = text.ids.size() / static_cast<std::size_t>(chunks);
    const auto top = static_cast<std::size_t>(frame.topK);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const auto ids = std::span(text.ids).subspan(static_cast<std::size_t>(chunk) * each, each);
        frame.tokens.push_back(chunk > now ? trace::kNoToken : texts.add(ids, frame));
        const std::size_t end = frame.topIds.size() + top;
        if (chunk >= given && chunk <= now)
            for (const auto& one : text.drawn[static_cast<std::size_t>(chunk - given)].candidates) {
                frame.topIds.push_back(texts.add(one.ids, frame));
                frame.topProbability.push_back(static_cast<float>(one.share));
            }
        frame.topIds.resize(end);
        frame.topProbability.resize(end);
    }
}

/// The layers of chunks when chunk `now` was drawn.
void addChunks(trace::Trace& frame, const WrittenText& text, int given, int now) {
    using Value = float (*)(const DrawnChunk&);
    constexpr std::pair<const char*, Value> kLayers[] = {
        {"draws", [](const DrawnChunk& c) { return static_cast<float>(c.draws); }},
        {"draws_distinct", [](const DrawnChunk& c) { return static_cast<float>(c.distinct); }},
        {"draws_matched", [](const DrawnChunk& c) { return static_cast<float>(c.matched); }},
        {"fell_back", [](const DrawnChunk& c) { return c.fellBack ? 1.0F : 0.0F; }}};
    const int chunks = given + static_cast<int>(text.drawn.size());
    const auto drawn = [&](int chunk) -> const DrawnChunk* {
        return chunk < given || chunk > now ? nullptr : &text.drawn[static_cast<std::size_t>(chunk - given)];
    };
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const DrawnChunk* one = drawn(chunk);
        frame.state.push_back(static_cast<std::uint8_t>(stateOf(chunk, given, now)));
        frame.confidence.push_back(one ? static_cast<float>(one->share) : chunk < given ? 1.0F : 0.0F);
        frame.entropy.push_back(one ? static_cast<float>(one->entropy) : 0.0F);
    }
    for (const auto& [name, value] : kLayers) {
        trace::Block block{{1, chunks}, {}, /*half=*/false};
        for (int chunk = 0; chunk < chunks; ++chunk)
            block.data.push_back(drawn(chunk) ? value(*drawn(chunk)) : 0);
        frame.blocks[name] = std::move(block);
    }
}

/// Tokens as they stand after chunk `now`, not as the autoencoder alone would have them.
void setTokens(trace::Trace& tokens, const WrittenText& text, int each, int given, int now,
               const text::SpecialIds& special) {
    for (int i = 0; i < tokens.positions; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool known = at < text.known.size(), there = i / each <= now;
        tokens.tokens[at] = static_cast<std::uint32_t>(there || known ? text.ids[at] : special.mask);
        tokens.state.push_back(
            static_cast<std::uint8_t>(known ? TokenState::Given : stateOf(i / each, given, now)));
        if (known) tokens.confidence[at] = 1;
        if (there || known) continue;
        tokens.confidence[at] = tokens.entropy[at] = tokens.margin[at] = 0;
        for (int k = 0; k < tokens.topK; ++k) {
            tokens.topIds[at * static_cast<std::size_t>(tokens.topK) + static_cast<std::size_t>(k)] =
                static_cast<std::uint32_t>(special.mask);
            tokens.topProbability[at * static_cast<std::size_t>(tokens.topK) + static_cast<std::size_t>(k)] =
                0;
        }
    }
}

}  // namespace

void recordChunks(CalmParts& parts, const train::GenerateRequest& request, const WrittenText& text,
                  trace::TraceSink& sink) {
    if (text.ids.empty()) return;
    auto codec = parts.codec();
    const auto each = static_cast<int>(codec->sizes().chunk);
    const at::Tensor latents = latentsOf(parts, text);
    const at::Tensor logP =
        at::log_softmax(at::matmul(codec->decode(latents).flatten(0, 1), codec->outputTable().t()), -1);
    const int chunks = static_cast<int>(latents.size(0)), steps = static_cast<int>(text.drawn.size()),
              given = chunks - steps;
    ChunkTexts texts(request);
    TraceRecorder recorder(request, sink);
    recorder.begin(steps);
    recorder.frame().outerLength = chunks;
    for (int step = 0; step < steps; ++step) {
        const int now = given + step;
        addChunks(recorder.frame(), text, given, now);
        addTexts(recorder.frame(), text, given, now, texts);
        at::Tensor shown = latents.clone();
        shown.narrow(0, now + 1, chunks - now - 1)
            .copy_(latents.narrow(0, now, 1).expand({chunks - now - 1, -1}));
        recorder.addLayer("latent", shown);
        setTokens(addChunkTokens(recorder.frame(), logP, each), text, each, given, now,
                  codec->sizes().special);
        recorder.endFrame(chunks, {1 - static_cast<double>(step + 1) / steps,
                                   std::numeric_limits<double>::quiet_NaN(), now, 0});
    }
}

}  // namespace kurve::models::calm
