#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurve {
class RunConfig;
}

namespace kurve::views {

/// The first lines of a run's validation split that are short enough to be one of its texts, whatever the
/// tokenizer; none where the file is not there. Any thread.
[[nodiscard]] std::vector<std::string> validationTexts(const std::filesystem::path& project,
                                                       const RunConfig& config);

}  // namespace kurve::views
