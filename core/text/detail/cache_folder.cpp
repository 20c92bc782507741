#include "core/text/detail/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/file.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kHeader = "header.json";
constexpr int kVersion = 1;

Error writeError(const fs::path& path, const std::string& why) {
    return workError("io.write", "cannot write: " + why)
        .in(path.string())
        .fix("check free space and permissions of the folder");
}

/// What a folder that is there is no good for.
Error unusable(const fs::path& file, const std::string& why) {
    return workError("data.cache", why).in(file.string()).fix("remove the folder: it is made again");
}

}  // namespace

void ArrayWriter::flush() {
    if (fd_ < 0 && problem_ == 0) fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd_ < 0 && problem_ == 0) problem_ = errno;
    hash_.add(buffer_);
    bytes_ += buffer_.size();
    for (std::string_view rest = buffer_; !rest.empty() && problem_ == 0;) {
        const ssize_t written = ::write(fd_, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) problem_ = errno;
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
}

Result<json> ArrayWriter::finish() {
    flush();
    if (fd_ >= 0 && ::fsync(fd_) != 0 && problem_ == 0) problem_ = errno;
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    if (problem_ != 0) return writeError(file_, std::strerror(problem_));
    return json{{"bytes", bytes_}, {"sha256", hash_.hex()}};
}

Status CacheFolder::write(const fs::path& folder, const std::string& key, const Make& make) {
    CacheWriter writer(folder);
    Status made = make(writer);
    json arrays = json::object();
    for (auto& [name, array] : writer.arrays_) {
        auto written = array.finish();
        if (made && !written) made = written.error();
        if (written) arrays[name] = std::move(*written);
    }
    KURVE_CHECKED(std::move(made));
    const json header = {{"version", kVersion},
                         {"made_from", key},
                         {"arrays", std::move(arrays)},
                         {"facts", writer.facts},
                         {"facts_sha256", sha256(writer.facts.dump())}};
    return writeFileAtomically(folder / kHeader, header.dump(1) + "\n");
}

Result<CacheFolder> CacheFolder::open(const fs::path& folder, const std::string& key) {
    const fs::path file = folder / kHeader;
    KURVE_TRY(const std::string text, readFile(file));
    const json header = json::parse(text, nullptr, false);
    if (!header.is_object() || !header.value("arrays", json()).is_object())
        return unusable(file, "is not the header of prepared data");
    if (header.value("version", json()) != kVersion || header.value("made_from", json()) != key)
        return unusable(file, "is of another version or of other data");
    CacheFolder out;
    out.facts_ = header.value("facts", json());
    if (header.value("facts_sha256", json()) != sha256(out.facts_.dump()))
        return unusable(file, "is not what was written (other SHA-256)");
    for (const auto& [name, about] : header["arrays"].items()) {
        const fs::path path = folder / name;
        if (!about.is_object()) return unusable(file, "is not the header of prepared data");
        KURVE_TRY(MappedFile mapped, MappedFile::open(path));
        if (about.value("bytes", json()) != mapped.bytes().size())
            return unusable(path, fmt::format("holds {} bytes, {} were written", mapped.bytes().size(),
                                              about.value("bytes", json()).dump()));
        KURVE_TRY(const std::string hash, sha256File(path));  // read, so that it is not mapped for this
        if (about.value("sha256", json()) != hash)
            return unusable(path, "is not what was written (other SHA-256)");
        out.files_.emplace(name, std::move(mapped));
    }
    return out;
}

Result<CacheFolder> CacheFolder::makeTemporary(const std::string& key, const Make& make) {
    std::string folder = (fs::temp_directory_path() / "kurve-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return writeError(folder, std::strerror(errno));
    Result<CacheFolder> made = workError("io.write", "");
    if (const Status written = write(folder, key, make); !written)
        made = written.error();
    else
        made = open(folder, key);
    std::error_code ignored;
    fs::remove_all(folder, ignored);  // what is mapped stays
    return made;
}

Result<CacheFolder> CacheFolder::openOrMake(const Place& place, const std::string& name,
                                            const std::string& key, const Make& make,
                                            std::vector<std::string>& log) {
    const fs::path folder = place.folder / name;
    std::error_code problem;
    const bool exists = fs::exists(folder, problem);
    if (exists) {
        auto there = open(folder, key);
        if (there) return there;
        log.push_back("prepared data is made again: " + there.error().text());
    }
    if (!place.makesFiles) return makeTemporary(key, make);
    const fs::path fresh = place.folder / fmt::format(".{}.{}", name, ::getpid());
    fs::remove_all(fresh, problem);
    fs::create_directories(fresh, problem);
    if (problem) {
        log.push_back(writeError(fresh, problem.message()).text());
        return makeTemporary(key, make);
    }
    if (Status written = write(fresh, key, make); !written) {
        fs::remove_all(fresh, problem);
        if (written.error().code != "io.write") return written.error();
        log.push_back(written.error().text());
        return makeTemporary(key, make);
    }
    if (exists) fs::remove_all(folder, problem);
    fs::rename(fresh, folder, problem);
    if (problem) fs::remove_all(fresh, problem);  // another process made the same one meanwhile
    return open(folder, key);
}

}  // namespace kurve::text::detail
