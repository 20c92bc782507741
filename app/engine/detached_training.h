#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::engine {

/// A `kurve train` or `kurve resume` that goes on when whoever started it ends: in a session of its own, its
/// result and log in files of the project's folder .starts/, for 30 days after its end. Which one it is tells
/// the id of its run.
struct DetachedTraining {
    std::filesystem::path project;
    std::string run;

    /// `words`: the command and its arguments. Errors: io.write, remote.start, run.exists (it runs already).
    Status start(const std::vector<std::string>& words) const;
    [[nodiscard]] bool runs() const;
    /// What it printed as JSON, its result or {"error": …}; of one that ended without a word the end of its
    /// log as an error "remote.ended". Null: it runs, or it was not started by start().
    [[nodiscard]] nlohmann::json outcome() const;

private:
    /// Results and logs of starts whose process ended long ago.
    void dropOld() const;
    [[nodiscard]] std::filesystem::path resultFile() const { return project / ".starts" / (run + ".json"); }
    [[nodiscard]] std::filesystem::path logFile() const { return project / ".starts" / (run + ".log"); }
};

}  // namespace kurve::engine
