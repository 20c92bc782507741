#include "core/remote/base64.h"

#include <openssl/evp.h>

namespace kurve::remote {
namespace {

const unsigned char* bytesOf(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytesOf(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string toBase64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends with a zero
    ::EVP_EncodeBlock(bytesOf(text), bytesOf(bytes), static_cast<int>(bytes.size()));
    text.pop_back();
    return text;
}

Result<std::string> fromBase64(std::string_view text) {
    std::string bytes(text.size() / 4 * 3, '\0');
    const bool whole = text.size() % 4 == 0;
    if (!whole || ::EVP_DecodeBlock(bytesOf(bytes), bytesOf(text), static_cast<int>(text.size())) < 0)
        return workError("remote.damaged", "bytes arrived damaged").fix("try again");
    for (const std::size_t end : {text.size() - 1, text.size() - 2})  // it counts the padding as bytes
        if (!text.empty() && text[end] == '=') bytes.pop_back();
    return bytes;
}

}  // namespace kurve::remote
