#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/base/file.h"
#include "core/store/detail/safetensors_head.h"
#include "core/store/safetensors.h"

namespace kurve::store {
namespace {

/// A file that appears under its name only when all of it is on the disk; hashes what passes through.
class HashedFile {
public:
    explicit HashedFile(std::filesystem::path file)
        : file_(std::move(file)),
          temporary_(file_.string() + ".tmp" + std::to_string(::getpid())),
          hash_(EVP_MD_CTX_new()) {
        ::unlink(
            temporary_.c_str());  // of a process that was killed; or a link that would be written through
        out_ = std::fopen(temporary_.c_str(), "wbxe");
        EVP_DigestInit_ex(hash_, EVP_sha256(), nullptr);
        failed_ = out_ == nullptr;
    }
    HashedFile(const HashedFile&) = delete;
    HashedFile& operator=(const HashedFile&) = delete;
    ~HashedFile() {
        if (out_) std::fclose(out_);
        if (!renamed_) ::unlink(temporary_.c_str());
        EVP_MD_CTX_free(hash_);
    }

    void write(const void* bytes, std::size_t size) {
        if (failed_ || size == 0) return;
        EVP_DigestUpdate(hash_, bytes, size);
        failed_ = std::fwrite(bytes, 1, size, out_) != size;
    }
    Result<std::string> finish() {
        if (!failed_) failed_ = std::fflush(out_) != 0 || ::fsync(::fileno(out_)) != 0;
        if (!failed_) failed_ = ::rename(temporary_.c_str(), file_.c_str()) != 0;
        if (failed_)
            return workError("io.write", std::string("cannot write: ") + std::strerror(errno))
                .in(file_.string())
                .fix("check free space and permissions of the folder");
        renamed_ = true;
        syncFolder();
        return digest();
    }

private:
    void syncFolder() const {
        const auto folder = file_.has_parent_path() ? file_.parent_path() : std::filesystem::path(".");
        if (FILE* directory = std::fopen(folder.c_str(), "re")) {
            (void)::fsync(::fileno(directory));
            std::fclose(directory);
        }
    }
    std::string digest() {
        unsigned char bytes[EVP_MAX_MD_SIZE];
        unsigned int size = 0;
        EVP_DigestFinal_ex(hash_, bytes, &size);
        std::string text;
        for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
        return text;
    }

    std::filesystem::path file_, temporary_;
    FILE* out_ = nullptr;
    EVP_MD_CTX* hash_;
    bool failed_ = false, renamed_ = false;
};

}  // namespace

Result<std::string> writeSafetensors(const std::filesystem::path& file,
                                     const std::map<std::string, TensorView>& tensors,
                                     const std::map<std::string, std::string>& metadata) {
    KURVE_CHECKED(checkReplaceable(file));
    const detail::SafetensorsHead head(tensors, metadata);
    HashedFile out(file);
    out.write(head.bytes.data(), head.bytes.size());
    for (const std::string& name : head.order) {
        const TensorView& tensor = tensors.at(name);
        KURVE_CHECK(detail::bytesOf(tensor) == tensor.bytes.size(), "{}: {} elements of {} in {} bytes", name,
                    tensor.elements(), tensor.dtype, tensor.bytes.size());
        out.write(tensor.bytes.data(), tensor.bytes.size());
    }
    return out.finish();
}

}  // namespace kurve::store
