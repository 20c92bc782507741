#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kurve {

/// Whole file as bytes. Errors: io.open (missing, a directory, no permission), io.read.
Result<std::string> readFile(const std::filesystem::path& file);

/// Writes atomically: temporary file in the same folder, fsync, rename, fsync of the folder. A crash leaves
/// either the old file or the new one. Errors (io.write) name the file and the cause, e.g. a full or
/// read-only disk.
Status writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

}  // namespace kurve
