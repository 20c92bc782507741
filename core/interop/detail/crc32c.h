#pragma once

#include <cstdint>
#include <string_view>

namespace kurve::interop::detail {

/// CRC-32C (Castagnoli) as in RFC 3720: "123456789" gives e3069283.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);
/// How event files store it: rotated and shifted, so that a sum over bytes that hold sums is no special case.
[[nodiscard]] std::uint32_t maskedCrc32c(std::string_view bytes);

}  // namespace kurve::interop::detail
