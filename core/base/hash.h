#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kurve {

/// SHA-256 in lower-case hexadecimal (64 characters).
[[nodiscard]] std::string sha256(std::string_view bytes);
/// The same of a regular file's bytes, read in blocks. Errors: io.open, io.read.
Result<std::string> sha256File(const std::filesystem::path& file);

}  // namespace kurve
