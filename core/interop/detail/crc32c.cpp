#include "core/interop/detail/crc32c.h"

#include <array>

namespace kurve::interop::detail {
namespace {

constexpr std::array<std::uint32_t, 256> table() {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0u);
        entries[i] = crc;
    }
    return entries;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    static constexpr auto kTable = table();
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
    return ~crc;
}

std::uint32_t maskedCrc32c(std::string_view bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace kurve::interop::detail
