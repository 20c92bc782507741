#include "core/text/published/byte_alphabet.h"

#include <array>

#include "core/base/text.h"

namespace kurve::text::detail {
namespace {

constexpr char32_t kFirstStandIn = 256, kAlphabetEnd = 324;

constexpr bool standsForItself(unsigned byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

/// The others take the characters from 256 on, in the order of the bytes.
constexpr std::array<char32_t, 256> charactersOfBytes() {
    std::array<char32_t, 256> characters{};
    char32_t next = kFirstStandIn;
    for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = standsForItself(byte) ? byte : next++;
    return characters;
}

constexpr std::array<int, kAlphabetEnd> bytesOfCharacters() {
    std::array<int, kAlphabetEnd> bytes{};
    bytes.fill(-1);
    constexpr auto characters = charactersOfBytes();
    for (unsigned byte = 0; byte < 256; ++byte) bytes[characters[byte]] = static_cast<int>(byte);
    return bytes;
}

struct SecondByte {
    unsigned low, high;
};

/// Bytes of a character that begins so; 0 where none does.
std::size_t characterLength(unsigned lead) {
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

SecondByte secondByte(unsigned lead) {
    switch (lead) {
        case 0xE0:
            return {0xA0, 0xBF};
        case 0xED:
            return {0x80, 0x9F};
        case 0xF0:
            return {0x90, 0xBF};
        case 0xF4:
            return {0x80, 0x8F};
        default:
            return {0x80, 0xBF};
    }
}

/// Bytes of the broken sequence at the beginning; at least 1.
std::size_t brokenLength(std::string_view bytes) {
    const unsigned lead = static_cast<unsigned char>(bytes.front());
    const std::size_t whole = characterLength(lead);
    SecondByte allowed = secondByte(lead);
    std::size_t length = 1;
    while (length < whole && length < bytes.size()) {
        const unsigned next = static_cast<unsigned char>(bytes[length]);
        if (next < allowed.low || next > allowed.high) break;
        allowed = {0x80, 0xBF};
        ++length;
    }
    return length;
}

}  // namespace

std::string spellBytes(std::string_view bytes) {
    static constexpr auto characters = charactersOfBytes();
    std::vector<char32_t> spelling;
    spelling.reserve(bytes.size());
    for (const char byte : bytes) spelling.push_back(characters[static_cast<unsigned char>(byte)]);
    return toUtf8(spelling);
}

std::optional<std::string> bytesOfSpelling(std::string_view spelling) {
    static constexpr auto bytes = bytesOfCharacters();
    std::string out;
    for (const char32_t character : codePoints(spelling)) {
        if (character >= kAlphabetEnd || bytes[character] < 0) return std::nullopt;
        out.push_back(static_cast<char>(bytes[character]));
    }
    return out;
}

std::string replaceInvalidUtf8(std::string bytes) {
    auto broken = firstInvalidUtf8(bytes);
    if (!broken) return bytes;
    std::string out;
    std::string_view rest = bytes;
    for (; broken; broken = firstInvalidUtf8(rest)) {
        out.append(rest.substr(0, *broken)).append("\uFFFD");
        rest.remove_prefix(*broken);
        rest.remove_prefix(brokenLength(rest));
    }
    return out.append(rest);
}

}  // namespace kurve::text::detail
