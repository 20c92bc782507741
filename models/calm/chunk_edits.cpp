#include "models/calm/chunk_edits.h"

#include <fmt/format.h>

#include <algorithm>

namespace kurve::models::calm {

using trace::Edit;
using trace::EditKind;

namespace {

/// Errors: branch.position, branch.token.
Status checkForced(const Edit& edit, const CalmSizes& sizes, const std::vector<std::int32_t>& known) {
    const auto each = static_cast<std::size_t>(sizes.chunk);
    if (edit.tokens.size() != each)
        return requestError("branch.token",
                            fmt::format("{} tokens, a chunk has {}", edit.tokens.size(), each))
            .at("token");
    const auto first = known.begin() + static_cast<std::ptrdiff_t>(known.size() / each * each);
    if (edit.position == static_cast<int>(known.size() / each) &&
        !std::equal(first, known.end(), edit.tokens.begin()))
        return requestError("branch.token", "the chunk does not begin as the prompt ends")
            .at("token")
            .fix("begin it with what the prompt has of it");
    return {};
}

}  // namespace

Result<ChunkEdits> ChunkEdits::of(const train::GenerateRequest& request, const RunConfig& sampler,
                                  const CalmSizes& sizes, const std::vector<std::int32_t>& known) {
    ChunkEdits out;
    const std::int64_t given = static_cast<std::int64_t>(known.size()) / sizes.chunk;
    std::vector<Override> settings;  // an earlier edit's hold on
    for (const Edit& edit : request.edits) {
        if (edit.kind == EditKind::Sampler) {
            settings.insert(settings.end(), edit.settings.begin(), edit.settings.end());
            KURVE_TRY(const RunConfig changed, sampler.with(settings));
            KURVE_TRY(out.samplings_[given + edit.step], chunkSampling(changed));
            continue;
        }
        if (edit.position < given)
            return requestError("branch.position", fmt::format("chunk {} is given", edit.position))
                .at("position")
                .fix(fmt::format("choose one from {} on", given));
        if (edit.kind == EditKind::Noise) {
            ++out.redrawn_[edit.position];
            continue;
        }
        KURVE_CHECKED(checkForced(edit, sizes, known));
        out.forced_[edit.position] = edit.tokens;
    }
    return out;
}

bool ChunkEdits::actsOn(std::int64_t chunk) const {
    return forced_.contains(chunk) || redrawn_.contains(chunk) ||
           (!samplings_.empty() && samplings_.begin()->first <= chunk);
}

const sampling::Outcome* ChunkEdits::maybeForced(std::int64_t chunk) const {
    const auto found = forced_.find(chunk);
    return found == forced_.end() ? nullptr : &found->second;
}

const ChunkSampling& ChunkEdits::samplingAt(std::int64_t chunk, const ChunkSampling& usual) const {
    const auto after = samplings_.upper_bound(chunk);
    return after == samplings_.begin() ? usual : std::prev(after)->second;
}

std::uint64_t ChunkEdits::seedAt(std::int64_t chunk, std::uint64_t usual) const {
    constexpr std::uint64_t kOther = 0x9E3779B97F4A7C15;  // odd: no two counts give the same
    const auto found = redrawn_.find(chunk);
    return found == redrawn_.end() ? usual : usual + found->second * kOther;
}

}  // namespace kurve::models::calm
