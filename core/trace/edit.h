#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace kurve::trace {

/// What an intervention can do at a position while a text is sampled.
enum class EditKind : std::uint8_t {
    Force,    ///< the position's estimate becomes a token at this step; then the model goes on by itself
    Pin,      ///< the same at this step and at every later one
    Ban,      ///< from this step on the position is never that token: the best other one is used
    Noise,    ///< the position's input becomes fresh noise (a masked model: the mask) at this step
    Latent,   ///< the position's, or a control point's, estimate becomes the given values at this step
    Sampler,  ///< from this step on other settings of the sampler hold; no position
};

/// One intervention. As JSON: {"kind": "force", "step": 16, "position": 2, "token": "lay"}; `token` is a
/// token, a text of one token or an id, `noise` has none; {"kind": "latent", "position": 2, "values": […]},
/// or "point" for "position"; {"kind": "sampler", "step": 3, "settings": {"sampler.temperature": "0.5"}}. Of
/// a trace of chunks or sentences the position is one of those, and the text that of a whole one. Steps and
/// positions count from 0.
struct Edit {
    EditKind kind = EditKind::Force;
    int step = 0;
    int position = 0;                       ///< or the control point
    bool point = false;                     ///< Latent: `position` is a control point
    std::int32_t token = -1;                ///< -1 until a tokenizer has read `text`
    std::string text;                       ///< the token as people read it, "lay"
    std::vector<float> values;              ///< Latent: [d], in the scale of the trace's "latent" and "curve"
    std::vector<std::int32_t> tokens = {};  ///< of a chunk or a sentence: those of `text`, once read
    std::map<std::string, std::string> settings = {};  ///< Sampler

    /// Whether it acts at this step.
    [[nodiscard]] bool actsAt(int at) const { return lasts() ? at >= step : at == step; }
    /// Whether it also acts at all later steps.
    [[nodiscard]] bool lasts() const {
        return kind == EditKind::Pin || kind == EditKind::Ban || kind == EditKind::Sampler;
    }
    /// Whether it names a token, or the text of a position.
    [[nodiscard]] bool hasText() const {
        return kind == EditKind::Force || kind == EditKind::Pin || kind == EditKind::Ban;
    }
    friend bool operator==(const Edit&, const Edit&) = default;
};

[[nodiscard]] const char* editKindName(EditKind kind);
/// One edit or a list; what names no step gets `step`. Errors: branch.syntax (with the member in `field`),
/// branch.kind (nearest suggested).
Result<std::vector<Edit>> editsFromJson(const nlohmann::json& edits, int step);
/// The same from a text. Errors: as above; a text that is not JSON is branch.syntax.
Result<std::vector<Edit>> editsFromText(std::string_view text, int step);
[[nodiscard]] nlohmann::json editsToJson(const std::vector<Edit>& edits);
/// "position 2 := lay @17", "position 2 != the @3, position 4 := noise @3"; steps from 1, as the timeline
/// counts them. More than three are counted. "unchanged" for none.
[[nodiscard]] std::string editsName(const std::vector<Edit>& edits);

/// How branches name their parent trace: its file relative to the run's folder, which holds the folder of
/// traces. Empty for a trace that is not saved.
[[nodiscard]] std::string traceNameOf(const std::filesystem::path& file);

/// Whether they can be made in this trace, from step `from` on: a chunk or a sentence not behind its last
/// step. Errors: branch.step, branch.position.
Status checkEdits(const Trace& parent, int from, const std::vector<Edit>& edits);

}  // namespace kurve::trace
