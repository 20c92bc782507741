#include "app/engine/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include "core/base/clock.h"

namespace kurve::engine {
namespace {

int realStdout = STDOUT_FILENO;

}  // namespace

void protectStandardOutput() {
    std::fflush(stdout);
    const int copy = ::dup(STDOUT_FILENO);
    if (copy < 0) return;  // started without a stdout: results have nowhere to go and that is fine
    realStdout = copy;
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

int standardOutput() {
    return realStdout;
}

void writeStandardOutput(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(realStdout, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Output::result(const nlohmann::json& document, const std::string& text) {
    if (options_.events) {
        nlohmann::json line = document;
        line["v"] = 1;
        line["type"] = "done";
        writeStandardOutput(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    } else if (options_.json) {
        writeStandardOutput(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    } else if (!text.empty()) {
        writeStandardOutput(text.back() == '\n' ? text : text + "\n");
    }
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
    std::fprintf(stderr, "kurve: %s\n", line.c_str());
    if (json)
        writeStandardOutput(errorJson(error).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                            "\n");
    return error.exitCode();
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
    std::fprintf(stderr, "\r\033[K[%-*s] %s", kWidth, bar.c_str(), text.c_str());
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

}  // namespace kurve::engine
