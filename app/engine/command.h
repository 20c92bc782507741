#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_config.h"

namespace kurve::engine {

/// Options every command takes (cli.md, conventions).
struct CommonOptions {
    bool json = false, events = false, quiet = false, force = false;
    std::string project;          ///< empty: the nearest folder upward with a project.toml
    std::string device = "auto";  ///< cpu | cuda | cuda:N | auto
    int threads = 0;              ///< 0 = chosen at start (platform.h)
    std::optional<std::uint64_t> seed;
    std::vector<Override> sets;  ///< --set key=value
};

/// Help of --checkpoint, of the commands that generate.
inline constexpr const char* kWeightsHelp =
    "last, best, a step, a folder, or avg5: the mean of the 5 best by checkpoint.metric (avgN: of N)";

/// Where a command puts its result: stdout is the result, stderr the log.
class Output {
public:
    explicit Output(const CommonOptions& options) : options_(options) {}
    /// Call once: prints `document` with --json, else `text` for people (a short table or sentence).
    void result(const nlohmann::json& document, const std::string& text);
    /// The same where the text itself is the result, byte by byte: only a terminal gets it escaped.
    void content(const nlohmann::json& document, const std::string& text);
    void exitCode(int code) { exitCode_ = code; }  ///< 130 = stopped by the user
    [[nodiscard]] int exitCode() const { return exitCode_; }

private:
    const CommonOptions& options_;
    int exitCode_ = 0;
};

using Action = std::function<Status(const CommonOptions& common, Output& out)>;

/// One sub-command: a line in commands.cpp and a file cmd_<name>.cpp. setup() declares its arguments on `app`
/// and returns what to do once they are parsed.
struct CommandKind {
    const char* name;
    const char* summary;
    Action (*setup)(CLI::App& app);
};
/// Their examples are in examples.cpp.
[[nodiscard]] const std::vector<CommandKind>& commands();

}  // namespace kurve::engine
