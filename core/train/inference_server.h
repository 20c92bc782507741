#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/store/run_writer.h"
#include "core/train/branch.h"
#include "core/train/session_link.h"

namespace kurve::train {

/// Answers `sample`, `trace`, `branch` and `reconstruct` with a loaded model: while it trains, while it is
/// paused, and in `kurve sample --serve`.
class InferenceServer {
public:
    /// Enters a trace into the run's record. What it cannot enter becomes a warning: the file is there.
    using ListTrace = std::function<Status(const store::TraceRow& row)>;
    InferenceServer(const text::Tokenizers& tokenizers, RunConfig config, std::filesystem::path runFolder,
                    ListTrace list, RunResolver* maybeResolver,
                    std::shared_ptr<const SentenceCorpus> maybeCorpus = nullptr)
        : tokenizers_(tokenizers),
          config_(std::move(config)),
          runFolder_(std::move(runFolder)),
          list_(std::move(list)),
          maybeResolver_(maybeResolver),
          maybeCorpus_(std::move(maybeCorpus)) {}

    [[nodiscard]] static bool handles(const std::string& type);
    /// Emits sampled, traced, reconstructed, pong or error, with the request's id. The model must be in
    /// evaluation mode.
    void answer(const wire::Message& request, SequenceModel& model, const TraceOrigin& origin,
                SessionLink& link) const;

private:
    Result<wire::Message> sample(const wire::Message& request, const TextModel& text,
                                 SessionLink& link) const;
    Result<wire::Message> trace(const wire::Message& request, const TextModel& text,
                                const TraceOrigin& origin, SessionLink& link) const;
    Result<wire::Message> branch(const wire::Message& request, const TextModel& text,
                                 const TraceOrigin& origin, SessionLink& link) const;
    Result<wire::Message> reconstruct(const wire::Message& request, const TextModel& text,
                                      SessionLink& link) const;
    Result<wire::Message> save(const wire::Message& request, store::TraceRow row,
                               const RecordedTrace& recorded, SessionLink& link) const;
    [[nodiscard]] Result<RunConfig> samplerOf(const nlohmann::json& body) const;

    const text::Tokenizers& tokenizers_;
    RunConfig config_;
    std::filesystem::path runFolder_;
    ListTrace list_;
    RunResolver* maybeResolver_;
    std::shared_ptr<const SentenceCorpus> maybeCorpus_;
};

/// Where a growing trace of the run lies until it is saved: beside row.path. Errors: io.link, io.write.
Result<std::filesystem::path> growingRunTrace(const std::filesystem::path& runFolder,
                                              const store::TraceRow& row);
/// Saves it to row.path, and its hash and size into `row`. Errors: io.link, io.write.
Status saveRunTrace(const std::filesystem::path& runFolder, const RecordedTrace& recorded,
                    store::TraceRow& row);
/// The record of a requested trace, under a name of its own. Errors: store.gone if the run was removed: its
/// folder must not be created again.
Result<store::TraceRow> requestedTraceRow(const std::filesystem::path& runFolder, const std::string& input,
                                          const TraceOrigin& origin);

/// One of the run's own: by its recorded name, by its name in traces/, with or without its suffix, or by its
/// whole path. Errors: run.path, io.link.
Result<std::filesystem::path> findRunTrace(const std::filesystem::path& runFolder,
                                           const std::filesystem::path& name);
/// A trace that a person names, which may lie anywhere. By its path: absolute, or relative to the run's
/// folder or to the working directory; or by its name in traces/, with or without its suffix. Errors as
/// readTrace.
Result<trace::Trace> findTrace(const std::filesystem::path& runFolder, const std::filesystem::path& name);
/// How a branch names its parent: relative to the run's folder where it lies there, else absolute.
[[nodiscard]] std::string parentName(const std::filesystem::path& runFolder, const trace::Trace& parent);

/// {"input","output","score","candidates"?} (trace/candidates.h)
[[nodiscard]] nlohmann::json sampleJson(const std::string& input, const Decoded& decoded);

}  // namespace kurve::train
