#include "core/base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <vector>

#include "core/base/file.h"

namespace kurve {
Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), [](void* made) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(made)); }) {
    EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_.get()), EVP_sha256(), nullptr);
}

void Sha256::add(std::string_view bytes) {
    EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_.get()), digest, &size);
    std::string out;
    for (unsigned int i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
    return out;
}

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

Result<std::string> sha256File(const std::filesystem::path& file) {
    KURVE_TRY(InputFile input, InputFile::open(file));
    Sha256 hash;
    std::vector<char> block(1 << 16);
    for (std::size_t size = block.size(); size == block.size();) {
        KURVE_TRY(size, input.read(block));
        hash.add({block.data(), size});
    }
    return hash.hex();
}

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return hash;
}

}  // namespace kurve
