#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kurve {

/// What a program wrote on its standard output.
struct ChildOutput {
    std::string text;
    bool complete = true;  ///< false: `limit` bytes came and the program was ended
};

/// Runs a program found in PATH (arguments as they are, no shell), its standard input and errors thrown away.
/// Nothing if it cannot be started, ends with anything but 0 or is still at it after `seconds` (it is
/// killed).
[[nodiscard]] std::optional<ChildOutput> childOutput(const std::vector<std::string>& command,
                                                     std::size_t limit, double seconds);

}  // namespace kurve
