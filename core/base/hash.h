#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kurve {

/// SHA-256 in lower-case hexadecimal (64 characters).
[[nodiscard]] std::string sha256(std::string_view bytes);
/// The same of bytes that come in pieces.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    /// Ends it: nothing can be added any more.
    [[nodiscard]] std::string hex();

private:
    std::shared_ptr<void> context_;
};
/// The same of a regular file's bytes, read in blocks. Errors: io.open, io.read.
Result<std::string> sha256File(const std::filesystem::path& file);

/// 64 bits that are quick to compute: for tables, not against forgery.
[[nodiscard]] std::uint64_t fnv1a(std::string_view text);

}  // namespace kurve
