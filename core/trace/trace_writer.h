#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/store/safetensors_in_place.h"
#include "core/trace/trace.h"

namespace kurve::trace {

/// Takes the frames of a sampler, in order. One thread.
class TraceSink {
public:
    virtual ~TraceSink() = default;
    /// Before the first frame; again: another candidate is recorded instead, from its first frame.
    virtual void begin(int plannedSteps) = 0;
    /// A block of the whole trace (isConstant()), at any time after begin().
    virtual void addConstant(const std::string& name, Block block) = 0;
    /// Further steps of the trace, as a trace of them: levels, positions and layers are those of the first.
    virtual void append(const Trace& frames) = 0;
};

/// Keeps the trace in memory.
class TraceBuilder final : public TraceSink {
public:
    explicit TraceBuilder(Trace& into) : trace_(into) {}
    void begin(int plannedSteps) override;
    void addConstant(const std::string& name, Block block) override;
    void append(const Trace& frames) override;

private:
    Trace& trace_;
};

struct WrittenTrace {
    std::string sha256;
    std::int64_t bytes = 0;
    int steps = 0, positions = 0;  ///< of the coarsest level
};

/// Writes the frames into a growing file while they are computed, and that into the trace's own file at the
/// end. Never more than the appended frames are in memory. At any time readTrace() reads what is there, in
/// another process too; after a kill as well. An error ends the writing and is told by finish().
class TraceWriter final : public TraceSink {
public:
    struct Options {
        std::filesystem::path growing;  ///< replaced if it is there; removed at the end
        std::map<std::string, std::string> meta = {};
        /// Text of an id that occurs; empty: as the frames' tokenTexts say.
        std::function<std::string(std::uint32_t token)> textOf = {};
        std::function<void(int steps, int planned)> progress = {};  ///< after every append()
    };
    explicit TraceWriter(Options options);
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;
    ~TraceWriter() override;

    void begin(int plannedSteps) override;
    void addConstant(const std::string& name, Block block) override;
    void append(const Trace& frames) override;

    [[nodiscard]] int steps() const { return steps_; }
    [[nodiscard]] const std::filesystem::path& growing() const { return options_.growing; }
    /// Of the metadata that it began with; empty if it is not there.
    [[nodiscard]] std::string metaText(const std::string& key) const;
    /// Writes the trace with this metadata as well. Errors: those of the growing file, and as
    /// writeSafetensors.
    Result<WrittenTrace> finish(const std::filesystem::path& file,
                                const std::map<std::string, std::string>& meta = {});

private:
    /// What is known of a level besides its frames.
    struct Level {
        Unit unit = Unit::Token;
        int positions = 0, topK = 0;
        std::map<std::uint32_t, std::string> texts;
        std::uint64_t textBytes = 0;  ///< in the growing file
    };
    Status put(const Trace& frames);
    Status start(const Trace& frames);
    Status putTexts(const Trace& frames);
    Status widen(const std::set<std::string>& blocks);
    void addText(const Trace& frames, Level& level, std::uint32_t token, std::string& lines) const;

    Options options_;
    int planned_ = 0, steps_ = 0, outerLength_ = 1, innerLength_ = 0;
    std::optional<store::SafetensorsInPlace> file_;
    std::map<std::string, store::TensorView> layout_;  ///< of the growing file, without data
    std::string levelsJson_;
    std::vector<Level> levels_;
    std::set<std::string> wide_;
    std::map<std::string, Block> constants_;
    std::optional<Error> failure_;
};

}  // namespace kurve::trace
