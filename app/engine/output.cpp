#include "app/engine/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/clock.h"
#include "core/base/printable.h"

namespace kurve::engine {
namespace {

int realStdout = STDOUT_FILENO;
std::atomic<int> lost = 0;  // the first reason
std::atomic<std::int64_t> offeredCheckpoint = -1;

std::string jsonLine(const nlohmann::json& document, int indent) {
    return printableJson(document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

std::string ended(const std::string& text) {
    return text.empty() || text.back() == '\n' ? text : text + "\n";
}

}  // namespace

void protectStandardOutput() {
    std::fflush(stdout);
    realStdout = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    // The number of a standard stream that was closed must not become that of a file which is opened later.
    int filled = ::open("/dev/null", O_RDWR);
    while (filled >= 0 && filled <= STDERR_FILENO) filled = ::dup(filled);
    if (filled >= 0) ::close(filled);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

int standardOutput() {
    return realStdout;
}

void writeStandardOutput(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(realStdout, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {  // whoever started us left it so
            pollfd writable{realStdout, POLLOUT, 0};
            ::poll(&writable, 1, -1);
            continue;
        }
        if (written <= 0) return noteLostOutput(written < 0 ? errno : ENOSPC);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void noteLostOutput(int reason) {
    int none = 0;
    if (reason != EPIPE) lost.compare_exchange_strong(none, reason);
}

int exitCodeOfOutput(int exitCode) {
    if (realStdout >= 0 && ::close(std::exchange(realStdout, -1)) != 0) noteLostOutput(errno);
    if (lost == 0 || exitCode != 0) return exitCode;
    return reportError(
        workError("io.write", std::string("the result cannot be written: ") + std::strerror(lost))
            .in("standard output")
            .fix("check free space and permissions; what the command did is done"),
        false);
}

void Output::result(const nlohmann::json& document, const std::string& text) {
    if (options_.events) {
        nlohmann::json line = document;
        line["v"] = 1;
        line["type"] = "done";
        writeStandardOutput(jsonLine(line, -1));
    } else {
        writeStandardOutput(options_.json ? jsonLine(document, 1) : ended(printable(text)));
    }
}

void Output::content(const nlohmann::json& document, const std::string& text) {
    if (options_.events || options_.json || ::isatty(realStdout) != 0) return result(document, text);
    writeStandardOutput(ended(text));
}

void logLine(std::string_view line) {
    std::fprintf(stderr, "%s\n", printableLine(line).c_str());
}

nlohmann::json errorJson(const Error& error) {
    nlohmann::json body{{"code", error.code}, {"message", error.message}, {"remedy", error.remedy}};
    body["file"] = error.file.empty() ? nlohmann::json() : nlohmann::json(error.file);
    body["line"] = error.line == 0 ? nlohmann::json() : nlohmann::json(error.line);
    body["field"] = error.field.empty() ? nlohmann::json() : nlohmann::json(error.field);
    return {{"error", std::move(body)}};
}

int reportError(const Error& error, bool json) {
    std::string line = error.text();
    std::replace(line.begin(), line.end(), '\n', ' ');
    logLine("kurve: " + line);
    nlohmann::json document = errorJson(error);
    if (offeredCheckpoint >= 0) document["error"]["checkpoint"] = offeredCheckpoint.load();
    if (json) writeStandardOutput(jsonLine(document, 1));
    return error.exitCode();
}

void offerCheckpoint(std::int64_t step) {
    offeredCheckpoint = step;
}

nlohmann::json jsonNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

ProgressLine::ProgressLine(bool quiet) : on_(!quiet && ::isatty(STDERR_FILENO) != 0) {}
ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::show(double fraction, const std::string& text) {
    const double now = steadySeconds();
    if (!on_ || now - last_ < 0.1) return;
    last_ = now;
    shown_ = true;
    constexpr int kWidth = 24;
    const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kWidth));
    const std::string bar(static_cast<std::size_t>(filled), '=');
    std::fprintf(stderr, "\r\033[K[%-*s] %s", kWidth, bar.c_str(), printableLine(text).c_str());
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

}  // namespace kurve::engine
