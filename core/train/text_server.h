#pragma once

#include <filesystem>
#include <string>

#include "core/train/decode.h"
#include "core/train/session_link.h"

namespace kurve::train {

/// Answers `sample`, `trace` and `ping` with a loaded model: while it trains, while it is paused, and in
/// `kurve sample --serve`.
class TextServer {
public:
    TextServer(const text::Dataset& data, RunConfig config, std::filesystem::path runFolder)
        : data_(data), config_(std::move(config)), runFolder_(std::move(runFolder)) {}

    [[nodiscard]] static bool handles(const std::string& type);
    /// Emits sampled, traced, pong or error, with the request's id. The model must be in evaluation mode.
    void answer(const wire::Message& request, SequenceModel& model, const TraceOrigin& origin,
                SessionLink& link) const;

private:
    Result<wire::Message> sample(const wire::Message& request, const TextModel& text,
                                 SessionLink& link) const;
    Result<wire::Message> trace(const wire::Message& request, const TextModel& text,
                                const TraceOrigin& origin, SessionLink& link) const;
    [[nodiscard]] Result<RunConfig> samplerOf(const nlohmann::json& body) const;

    const text::Dataset& data_;
    RunConfig config_;
    std::filesystem::path runFolder_;
};

/// {"input","output","score","candidates"?:[{"output","score"}]}
[[nodiscard]] nlohmann::json sampleJson(const std::string& input, const Decoded& decoded);

}  // namespace kurve::train
