#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kurve {
namespace {

/// An open file descriptor that closes itself.
class SyncedFile {
public:
    SyncedFile(const std::filesystem::path& file, int flags)
        : fd_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {}
    SyncedFile(const SyncedFile&) = delete;
    SyncedFile& operator=(const SyncedFile&) = delete;
    ~SyncedFile() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] bool ok() const { return fd_ >= 0; }
    [[nodiscard]] bool sync() const { return ::fsync(fd_) == 0; }
    [[nodiscard]] bool write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }

private:
    int fd_;
};

Error writeError(const std::filesystem::path& file) {
    return workError("io.write", std::string("cannot write: ") + std::strerror(errno))
        .in(file.string())
        .fix("check free space and permissions of the folder");
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& file) {
    // Without O_NONBLOCK to open a pipe waits for somebody who writes into it.
    const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat info {};
    if (fd < 0 || ::fstat(fd, &info) != 0) {
        Error error = requestError("io.open", std::strerror(errno)).in(file.string());
        if (fd >= 0) ::close(fd);
        return error;
    }
    InputFile input(fd, static_cast<std::uint64_t>(info.st_size), file.string());
    if (S_ISDIR(info.st_mode))
        return requestError("io.open", "is a folder, expected a file").in(file.string());
    if (!S_ISREG(info.st_mode))
        return requestError("io.open", "is a pipe, a socket or a device, expected a file")
            .in(file.string())
            .fix("put a regular file in its place, or remove it");
    return input;
}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_), name_(std::move(other.name_)) {}

InputFile::~InputFile() {
    if (fd_ >= 0) ::close(fd_);
}

Result<std::size_t> InputFile::read(std::span<char> into) {
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t n = ::read(fd_, into.data() + done, into.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return workError("io.read", std::strerror(errno)).in(name_);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

Result<std::string> readFile(const std::filesystem::path& file, std::uint64_t limit) {
    KURVE_TRY(InputFile input, InputFile::open(file));
    const auto tooLarge = [&] {
        return requestError(
                   "io.too_large",
                   fmt::format("holds {} bytes or more, a file of its kind at most {}", input.bytes(), limit))
            .in(file.string())
            .fix("it is damaged or another file: take another copy");
    };
    if (input.bytes() > limit) return tooLarge();
    std::string text(input.bytes() + 1, '\0');  // one more, to see the end of it
    std::size_t size = 0;
    while (true) {  // somebody may be writing more
        KURVE_TRY(const std::size_t more, input.read(std::span(text).subspan(size)));
        size += more;
        if (size > limit) return tooLarge();
        if (size < text.size()) break;
        text.resize(2 * text.size());
    }
    text.resize(size);
    return text;
}

Status checkReplaceable(const std::filesystem::path& file) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(file, ignored).type();
    if (kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found)
        return {};
    return workError("io.write", "is a folder or a device, expected a file").in(file.string());
}

Status writeFileAtomically(const std::filesystem::path& file, std::string_view bytes) {
    KURVE_CHECKED(checkReplaceable(file));
    const std::filesystem::path temporary = file.string() + ".tmp" + std::to_string(::getpid());
    {
        ::unlink(temporary.c_str());  // of a process that was killed; or a link that would be written through
        const SyncedFile out(temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (!out.ok() || !out.write(bytes) || !out.sync()) {
            Error error = writeError(file);
            ::unlink(temporary.c_str());
            return error;
        }
    }
    if (::rename(temporary.c_str(), file.c_str()) != 0) {
        Error error = writeError(file);
        ::unlink(temporary.c_str());
        return error;
    }
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const SyncedFile directory(folder, O_RDONLY | O_DIRECTORY);
    if (directory.ok()) (void)directory.sync();
    return {};
}

}  // namespace kurve
