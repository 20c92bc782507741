#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::engine {

/// The lines of a text file, blank ones too, so that output lines match input lines. BOM and
/// CRLF are taken off; what follows the last newline is a line only if it is not empty. Errors: io.open,
/// data.utf8 (file and line).
Result<std::vector<std::string>> readLines(const std::string& file);

}  // namespace kurve::engine
