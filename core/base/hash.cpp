#include "core/base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>
#include <vector>

#include "core/base/file.h"

namespace kurve {
namespace {

class Sha256 {
public:
    Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
    }
    void add(const char* data, std::size_t size) { EVP_DigestUpdate(context_.get(), data, size); }
    std::string hex() {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned int size = 0;
        EVP_DigestFinal_ex(context_.get(), digest, &size);
        std::string out;
        for (unsigned int i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
        return out;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes.data(), bytes.size());
    return hash.hex();
}

Result<std::string> sha256File(const std::filesystem::path& file) {
    KURVE_TRY(InputFile input, InputFile::open(file));
    Sha256 hash;
    std::vector<char> block(1 << 16);
    for (std::size_t size = block.size(); size == block.size();) {
        KURVE_TRY(size, input.read(block));
        hash.add(block.data(), size);
    }
    return hash.hex();
}

}  // namespace kurve
