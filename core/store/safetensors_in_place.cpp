#include "core/store/safetensors_in_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/file.h"
#include "core/store/detail/safetensors_head.h"

namespace kurve::store {
namespace {

constexpr std::size_t kDigits = 12;

Error writeError(const std::string& file) {
    return workError("io.write", std::string("cannot write: ") + std::strerror(errno))
        .in(file)
        .fix("check free space and permissions of the folder");
}

}  // namespace

Result<SafetensorsInPlace> SafetensorsInPlace::create(const std::filesystem::path& file,
                                                      const std::map<std::string, TensorView>& tensors,
                                                      std::map<std::string, std::string> metadata,
                                                      const std::string& counter) {
    KURVE_CHECKED(checkReplaceable(file));
    metadata[counter] = fmt::format("{:0{}}", 0, kDigits);
    const detail::SafetensorsHead head(tensors, metadata);
    SafetensorsInPlace out;
    out.name_ = file.string();
    for (const auto& [name, tensor] : tensors)
        out.places_[name] = {head.offsets.at(name), detail::bytesOf(tensor)};
    // Quotes inside a text are escaped, so this is found where the metadata says it.
    const std::string before = '"' + counter + "\":\"";
    out.counterAt_ = head.bytes.find(before) + before.size();
    // It appears under its name with its header, so that nobody reads half of one.
    const std::string temporary = out.name_ + ".new";
    ::unlink(temporary.c_str());
    out.fd_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out.fd_ < 0 || ::ftruncate(out.fd_, static_cast<off_t>(head.fileBytes)) != 0)
        return writeError(out.name_);
    KURVE_CHECKED(out.put(0, head.bytes.data(), head.bytes.size()));
    if (::rename(temporary.c_str(), out.name_.c_str()) != 0) return writeError(out.name_);
    return out;
}

SafetensorsInPlace::SafetensorsInPlace(SafetensorsInPlace&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      places_(std::move(other.places_)),
      counterAt_(other.counterAt_) {}

SafetensorsInPlace::~SafetensorsInPlace() {
    if (fd_ >= 0) ::close(fd_);
}

Status SafetensorsInPlace::put(std::uint64_t at, const void* bytes, std::size_t size) {
    const auto* from = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t put = ::pwrite(fd_, from, size, static_cast<off_t>(at));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return writeError(name_);
        from += put;
        at += static_cast<std::uint64_t>(put);
        size -= static_cast<std::size_t>(put);
    }
    return {};
}

Status SafetensorsInPlace::write(const std::string& tensor, std::uint64_t offset,
                                 std::span<const std::byte> bytes) {
    const auto place = places_.find(tensor);
    KURVE_CHECK(place != places_.end(), "no tensor {}", tensor);
    KURVE_CHECK(offset + bytes.size() <= place->second.bytes, "{}: bytes {} to {} of {}", tensor, offset,
                offset + bytes.size(), place->second.bytes);
    return put(place->second.at + offset, bytes.data(), bytes.size());
}

Status SafetensorsInPlace::setCounter(std::uint64_t value) {
    const std::string digits = fmt::format("{:0{}}", value, kDigits);
    return put(counterAt_, digits.data(), digits.size());
}

}  // namespace kurve::store
