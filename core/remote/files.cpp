#include "core/remote/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <regex>
#include <utility>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/text.h"

namespace kurve::remote {
namespace {

namespace fs = std::filesystem;

std::int64_t nanoseconds(const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Of files that are being written: what a crash left of them is nobody's either.
bool isTemporary(const std::string& name) {
    static const std::regex kTemporary(R"(\..*|.*\.tmp\d*|.*\.new|.*\.part)");
    return std::regex_match(name, kTemporary);
}

/// Where the parts of a file gather.
fs::path gatheredAt(const fs::path& file, const std::string& version) {
    return file.parent_path() / ("." + file.filename().string() + "." + version + ".part");
}

}  // namespace

bool FileEntry::operator==(const FileEntry& other) const {
    const auto [low, high] = std::minmax(modified, other.modified);
    std::int64_t kept = 1;                                                    // to so many nanoseconds
    for (const std::int64_t coarse : {100LL, 10'000'000LL, 1'000'000'000LL})  // NTFS, exFAT, old ext4
        if (low % coarse == 0) kept = coarse;
    if (kept == 1'000'000'000) kept *= 2;  // or FAT
    return path == other.path && bytes == other.bytes && high - low < kept;
}

bool isOfLiveRun(const std::string& path) {
    return path.starts_with("run.db") || path == "run.lock" || path == "control.sock";
}

Result<fs::path> pathBelow(const fs::path& root, const std::string& path) {
    const auto names = split(path, '/');
    const bool plain = std::all_of(names.begin(), names.end(), [](const std::string& name) {
        return isFileName(name) && !name.starts_with('.');
    });
    if (!plain)
        return requestError("remote.path", "\"" + path.substr(0, 80) + "\" is no file of a project or run");
    return pathInside(root, path);
}

Result<FileEntry> entryOf(const fs::path& root, const std::string& path) {
    KURVE_TRY(const fs::path file, pathBelow(root, path));
    struct stat info {};
    if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return requestError("io.open", "is no file that is there").in(file.string());
    return FileEntry{path, static_cast<std::uint64_t>(info.st_size), nanoseconds(info.st_mtim)};
}

std::vector<FileEntry> filesBelow(const fs::path& root) {
    std::vector<FileEntry> files;
    std::error_code code;
    for (fs::recursive_directory_iterator it(root, code), end; !code && it != end; it.increment(code)) {
        const bool temporary = isTemporary(it->path().filename().string());
        std::error_code gone;
        if (temporary || it->is_symlink(gone)) {
            it.disable_recursion_pending();
            continue;
        }
        const std::string path = it->path().lexically_relative(root).string();
        if (isOfLiveRun(path)) continue;
        if (auto entry = entryOf(root, path)) files.push_back(std::move(*entry));
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return files;
}

Result<std::string> readPart(const fs::path& file, std::uint64_t offset, std::uint64_t limit) {
    KURVE_TRY(auto input, InputFile::open(file));
    if (::lseek(input.descriptor(), static_cast<off_t>(offset), SEEK_SET) < 0)
        return workError("io.read", std::strerror(errno)).in(file.string());
    std::string part(limit, '\0');
    std::size_t done = 0;
    while (done < part.size()) {
        KURVE_TRY(const std::size_t count, input.read({part.data() + done, part.size() - done}));
        if (count == 0) break;
        done += count;
    }
    part.resize(done);
    return part;
}

ArrivingFile::ArrivingFile(fs::path file, fs::path part, int fd, std::uint64_t bytes)
    : file_(std::move(file)), part_(std::move(part)), fd_(fd), bytes_(bytes) {}
ArrivingFile::ArrivingFile(ArrivingFile&& other) noexcept
    : file_(std::move(other.file_)),
      part_(std::move(other.part_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_) {}
ArrivingFile::~ArrivingFile() {
    if (fd_ >= 0) ::close(fd_);
}

Error ArrivingFile::writeError(int cause) const {
    return workError("io.write", std::string("cannot be written: ") + std::strerror(cause))
        .in(file_.string())
        .fix("check free space and permissions of the folder");
}

Result<ArrivingFile> ArrivingFile::open(const fs::path& file, const std::string& version) {
    const fs::path part = gatheredAt(file, version);
    ArrivingFile arriving(file, part, -1, 0);
    std::error_code code;
    fs::create_directories(file.parent_path(), code);
    if (code) return arriving.writeError(code.value());
    KURVE_CHECKED(checkReplaceable(file));
    arriving.fd_ = ::open(part.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (arriving.fd_ < 0) return arriving.writeError(errno);
    struct stat held {
    }, named{};  // whoever held it may have renamed or deleted it meanwhile
    if (::flock(arriving.fd_, LOCK_EX | LOCK_NB) != 0 || ::fstat(arriving.fd_, &held) != 0 ||
        ::lstat(part.c_str(), &named) != 0 || held.st_ino != named.st_ino)
        return requestError("remote.busy", "another program receives it")
            .in(file.string())
            .fix("wait for it");
    arriving.bytes_ = static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(arriving.fd_, 0, SEEK_END)));
    return arriving;
}

std::uint64_t ArrivingFile::arrived(const fs::path& file, const std::string& version) {
    std::error_code none;
    const auto bytes = fs::file_size(gatheredAt(file, version), none);
    return none ? 0 : bytes;
}

Status ArrivingFile::append(const std::string& part) {
    for (std::size_t done = 0; done < part.size();) {
        const ssize_t count =
            ::pwrite(fd_, part.data() + done, part.size() - done, static_cast<off_t>(bytes_ + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const int cause = count < 0 ? errno : ENOSPC;
            (void)!::ftruncate(fd_, static_cast<off_t>(bytes_));
            return writeError(cause);
        }
        done += static_cast<std::size_t>(count);
    }
    bytes_ += part.size();
    return {};
}

void ArrivingFile::discard() {
    std::error_code ignored;
    fs::remove(part_, ignored);
}

void ArrivingFile::discardOthers(std::chrono::seconds idle) const {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(file_.parent_path(), gone)) {
        const std::string version = entry.path().stem().extension().string();
        if (version.empty() || gatheredAt(file_, version.substr(1)) != entry.path()) continue;
        const auto written = entry.last_write_time(gone);
        if (gone || fs::file_time_type::clock::now() - written < idle) continue;
        if (auto other = open(file_, version.substr(1))) other->discard();  // one that is in use is locked
    }
}

Status ArrivingFile::finish(const std::string& sha256, std::int64_t modified) {
    KURVE_TRY(const std::string arrived, sha256File(part_));
    if (arrived != sha256) {
        discard();
        return workError("remote.damaged", "arrived with another hash").in(file_.string()).fix("try again");
    }
    const timespec when{modified / 1'000'000'000, modified % 1'000'000'000};
    const timespec times[] = {when, when};
    if (modified > 0 && ::futimens(fd_, times) != 0) return writeError(errno);
    if (::fsync(fd_) != 0 || ::rename(part_.c_str(), file_.c_str()) != 0) return writeError(errno);
    return {};
}

}  // namespace kurve::remote
