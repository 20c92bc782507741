#include "core/base/inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/check.h"

namespace kurve {
namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    operator int() const { return fd_; }  // NOLINT: stands for the number

private:
    int fd_;
};

Descriptor openFolder(int parent, const char* name) {
    return Descriptor(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Error linkError(const fs::path& file) {
    return requestError("io.link", "is a link: what it leads to is not read, written or deleted")
        .in(file.string())
        .fix("put the file or folder itself in its place");
}

Error systemError(const fs::path& file, int cause) {
    return workError("io.write", std::string("cannot be changed: ") + std::strerror(cause))
        .in(file.string())
        .fix("check free space and permissions of the folder");
}

void checkNames(const fs::path& inside) {
    const bool plain = std::all_of(inside.begin(), inside.end(),
                                   [](const fs::path& name) { return isFileName(name.native()); });
    KURVE_CHECK(plain && !inside.empty(), "{} does not stay inside", inside.string());
}

bool isLink(const fs::path& file) {
    struct stat info {};
    return ::lstat(file.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

std::vector<std::string> namesIn(int folder) {
    std::vector<std::string> names;
    const int copy = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
    if (listing == nullptr) {
        if (copy >= 0) ::close(copy);
        return names;
    }
    while (const dirent* entry = ::readdir(listing))
        if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
    ::closedir(listing);
    return names;
}

/// 0, or errno.
int removeAt(int folder, const char* name) {
    if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR) return errno;
    {
        const Descriptor inner = openFolder(folder, name);
        if (inner < 0) return errno;
        for (const auto& one : namesIn(inner))
            if (const int cause = removeAt(inner, one.c_str())) return cause;
    }
    return ::unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

bool isFileName(std::string_view name) {
    const bool bad = std::any_of(name.begin(), name.end(), [](char c) {
        return c == '/' || c == 0x7f || static_cast<unsigned char>(c) < 0x20;
    });
    return !bad && !name.empty() && name != "." && name != "..";
}

bool isPlainName(std::string_view name) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    constexpr std::size_t kLongest = 200;
    return !name.empty() && name.size() <= kLongest && name.front() != '.' && name.front() != '-' &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

Status checkNoLink(const fs::path& file) {
    if (isLink(file)) return linkError(file);
    return {};
}

Result<fs::path> pathInside(const fs::path& root, const fs::path& inside) {
    checkNames(inside);
    fs::path path = root;
    for (const fs::path& name : inside) KURVE_CHECKED(checkNoLink(path /= name));
    return path;
}

Result<fs::path> makeFolderInside(const fs::path& root, const fs::path& inside) {
    checkNames(inside);
    fs::path path = root;
    std::error_code ignored;  // then it cannot be opened
    fs::create_directories(root, ignored);
    Descriptor folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const fs::path& name : inside) {
        path /= name;
        const bool failed = folder < 0 || (::mkdirat(folder, name.c_str(), 0777) != 0 && errno != EEXIST);
        if (!failed) folder = openFolder(folder, name.c_str());
        if (failed || folder < 0) {
            const int cause = errno;
            if (isLink(path)) return linkError(path);
            return systemError(path, cause);
        }
    }
    return path;
}

Status removeInside(const fs::path& root, const fs::path& inside) {
    checkNames(inside);
    fs::path path = root;
    Descriptor folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0) return errno == ENOENT ? Status() : systemError(path, errno);
    for (const fs::path& name : inside.parent_path()) {
        path /= name;
        folder = openFolder(folder, name.c_str());
        if (folder >= 0) continue;
        const int cause = errno;
        if (cause == ENOENT) return {};
        return isLink(path) ? linkError(path) : systemError(path, cause);
    }
    if (const int cause = removeAt(folder, inside.filename().c_str()))
        return systemError(root / inside, cause);
    return {};
}

}  // namespace kurve
