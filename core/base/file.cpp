#include "core/base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace kurve {
namespace {

/// An open file descriptor that closes itself.
class Descriptor {
public:
    Descriptor(const std::filesystem::path& file, int flags)
        : fd_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
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

Result<std::string> readFile(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return requestError("io.open", "is a folder, expected a file").in(file.string());
    std::ifstream in(file, std::ios::binary);
    if (!in) return requestError("io.open", std::strerror(errno)).in(file.string());
    std::ostringstream out;
    out << in.rdbuf();
    if (in.bad()) return workError("io.read", std::strerror(errno)).in(file.string());
    return std::move(out).str();
}

Status writeFileAtomically(const std::filesystem::path& file, std::string_view bytes) {
    const std::filesystem::path temporary = file.string() + ".tmp" + std::to_string(::getpid());
    {
        const Descriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC);
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
    const Descriptor directory(folder, O_RDONLY | O_DIRECTORY);
    if (directory.ok()) (void)directory.sync();
    return {};
}

}  // namespace kurve
