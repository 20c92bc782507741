#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/engine/command.h"

namespace kurve::engine {

/// Moves the real stdout away, so that a library's stray print lands in the log (stderr) and never in the
/// result. Call once, before anything prints.
void protectStandardOutput();
/// Writes to the real stdout, whole. Callable from one thread at a time.
void writeStandardOutput(std::string_view bytes);
/// Of what cannot be written: the reason as errno. A reader that went away (EPIPE) wanted no more.
void noteLostOutput(int reason);
/// Ends the output. Where a part of it was lost it says so on stderr, and 0 becomes 1.
[[nodiscard]] int exitCodeOfOutput(int exitCode);

/// The descriptor of the real stdout, for those who write without blocking.
[[nodiscard]] int standardOutput();

/// A line of the log on stderr.
void logLine(std::string_view line);
/// Prints the error as cli.md promises: one line on stderr, and with --json a document on stdout. Returns its
/// exit code.
int reportError(const Error& error, bool json);
/// The document of the error that ends this process gets "checkpoint": the step of a sound one to go on from.
void offerCheckpoint(std::int64_t step);
/// {"error":{"code","message","file","line","field","remedy"}}
[[nodiscard]] nlohmann::json errorJson(const Error& error);

/// Doubles that JSON cannot hold become the texts "inf", "-inf" and "nan".
[[nodiscard]] nlohmann::json jsonNumber(double value);

/// A progress line on stderr with the time left; nothing if stderr is no terminal or with --quiet.
class ProgressLine {
public:
    explicit ProgressLine(bool quiet);
    ~ProgressLine();
    void show(double fraction, const std::string& text);  ///< at most ten times a second
    void clear();

private:
    bool on_ = false, shown_ = false;
    double last_ = 0;
};

}  // namespace kurve::engine
