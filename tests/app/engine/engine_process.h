#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kurve::testing {

/// A real `kurve` child process with pipes on all three ends.
class EngineProcess {
public:
    /// Starts it at once; the program is the one of this build, or another one of its bin/.
    explicit EngineProcess(const std::vector<std::string>& arguments,
                           const std::filesystem::path& workingFolder = ".",
                           const std::string& program = "kurve");
    ~EngineProcess();
    EngineProcess(const EngineProcess&) = delete;
    EngineProcess& operator=(const EngineProcess&) = delete;

    void send(const nlohmann::json& command);  ///< one line, with "v":1
    void sendText(const std::string& bytes);
    void closeInput();
    void signal(int number) const;
    /// No file it writes may grow beyond so many bytes: what a full disk looks like to it. 0 = no limit.
    void limitFiles(std::uint64_t bytes) const;
    /// Reads events until one fulfils `wanted`; everything read is kept in events(). False if the output
    /// ended first.
    bool waitFor(const std::function<bool(const nlohmann::json&)>& wanted);
    /// The same for a type.
    bool waitForType(const std::string& type);
    /// Reads everything and waits for the end; the exit code, or 128 + signal.
    int finish();

    [[nodiscard]] const std::vector<nlohmann::json>& events() const { return events_; }  ///< all read so far
    [[nodiscard]] const nlohmann::json& found() const { return events_.at(seen_ - 1); }  ///< by waitFor()
    [[nodiscard]] const std::string& output() const { return output_; }                  ///< raw stdout
    [[nodiscard]] const std::string& log() const { return log_; }  ///< stderr, after finish()
    [[nodiscard]] int pid() const { return pid_; }

private:
    bool readMore();
    void takeLines();

    int pid_ = -1, input_ = -1, outputFd_ = -1, logFd_ = -1;
    std::size_t parsed_ = 0, seen_ = 0;
    std::string output_, log_;
    std::vector<nlohmann::json> events_;
};

/// Runs it to its end.
struct EngineResult {
    int code = 0;
    std::string output, log;
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(output, nullptr, false); }
};
EngineResult runEngine(const std::vector<std::string>& arguments,
                       const std::filesystem::path& workingFolder = ".",
                       const std::string& program = "kurve");

/// Makes a project in `folder` with a few hundred pairs of the sample's restore task and experiments
/// "small.toml" (Difformer, a few thousand parameters), "curve.toml" (SCLM), "masked.toml" (CMLM) and
/// "causal.toml" (Transformer) of 12 steps.
void makeSmallProject(const std::filesystem::path& folder);

}  // namespace kurve::testing
