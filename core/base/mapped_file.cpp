#include "core/base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/file.h"

namespace kurve {

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
    KURVE_TRY(const InputFile input, InputFile::open(file));
    MappedFile mapped;
    if (input.bytes() == 0) return mapped;  // mmap() refuses it
    void* const at = ::mmap(nullptr, input.bytes(), PROT_READ, MAP_PRIVATE, input.descriptor(), 0);
    if (at == MAP_FAILED) return workError("io.read", std::strerror(errno)).in(file.string());
    mapped.bytes_ = {static_cast<const std::byte*>(at), input.bytes()};
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

MappedFile::~MappedFile() {
    if (!bytes_.empty())
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: it takes no const
}

}  // namespace kurve
