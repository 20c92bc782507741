#include "core/store/detail/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/inside.h"

namespace kurve::store::detail {
namespace {

std::string holder(int fd) {
    char text[32] = {};
    const auto size = ::pread(fd, text, sizeof text - 1, 0);
    return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string("?");
}

/// False if another process removed the file between our open and our lock.
bool stillNamed(int fd, const std::filesystem::path& file) {
    struct stat ours {
    }, named{};
    return ::fstat(fd, &ours) == 0 && ::stat(file.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

}  // namespace

Result<std::unique_ptr<RunLock>> RunLock::take(const std::filesystem::path& runFolder) {
    const auto file = runFolder / "run.lock";
    KURVE_CHECKED(checkNoLink(file));  // what it leads to would be emptied
    while (true) {
        const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0)
            return workError("io.write", std::string("cannot write: ") + std::strerror(errno))
                .in(file.string())
                .fix("check free space and permissions of the folder");
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const std::string pid = holder(fd);
            ::close(fd);
            return requestError("store.locked", "process " + pid + " is already writing this run")
                .in(runFolder.string())
                .fix("stop that process first, or start another run");
        }
        if (!stillNamed(fd, file)) {
            ::close(fd);
            continue;
        }
        const std::string pid = std::to_string(::getpid());
        if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, pid.data(), pid.size(), 0);
        return std::unique_ptr<RunLock>(new RunLock(file, fd));
    }
}

RunLock::~RunLock() {
    ::unlink(file_.c_str());
    ::close(fd_);
}

}  // namespace kurve::store::detail
