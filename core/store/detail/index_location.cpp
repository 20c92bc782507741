#include "core/store/detail/index_location.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/hash.h"
#include "core/store/detail/side_writer.h"

namespace kurve::store::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 16;

bool isWritable(const fs::path& folder) {
    return ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
}

/// $XDG_DATA_HOME/kurve/indexes; empty without a home.
fs::path ownFolder(const IndexPaths& paths) {
    if (!paths.ownFolder.empty()) return paths.ownFolder;
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
        return fs::path(data) / "kurve" / "indexes";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
        return fs::path(home) / ".local" / "share" / "kurve" / "indexes";
    return {};
}

/// Of this project, by its whole path.
fs::path ownFile(const fs::path& own, const fs::path& project) {
    return own / fmt::format("{}-{}.db", project.filename().string(),
                             sha256(project.string()).substr(0, kHashDigits));
}

IndexLocation onNetworkProject(const fs::path& project, const IndexPaths& paths) {
    IndexLocation location;
    location.onNetwork = true;
    const fs::path own = ownFolder(paths);
    std::error_code ignored;
    if (!own.empty()) fs::create_directories(own, ignored);
    const bool usable = !own.empty() && isWritable(own) && !paths.onNetwork(own);
    if (usable) {
        location.file = ownFile(own, project);
        location.notice = fmt::format(
            "The project lies on a network file system, where a database is not safe: its index is kept in "
            "{}. Names, tags, notes and stars given here stay on this machine.",
            location.file.string());
        return location;
    }
    const std::string why = own.empty() ? "there is no home folder" : own.string() + " cannot hold it either";
    location.notice = fmt::format(
        "The project lies on a network file system, where a database is not safe, and {}: names, tags, notes "
        "and stars cannot be changed.",
        why);
    location.refusal = requestError("store.network",
                                    "lies on a network file system, where a database is not safe, and " + why)
                           .in(project.string())
                           .fix("copy the project to a local disk, or set XDG_DATA_HOME to a folder on one");
    return location;
}

}  // namespace

IndexLocation locateIndex(const fs::path& projectFolder, const IndexPaths& paths) {
    IndexPaths resolved = paths;
    if (!resolved.onNetwork) resolved.onNetwork = onNetwork;
    if (resolved.onNetwork(projectFolder)) return onNetworkProject(projectFolder, resolved);
    IndexLocation location;
    if (isWritable(projectFolder)) {
        location.file = projectFolder / "index.db";
        const fs::path own = ownFolder(resolved),
                       file = own.empty() ? fs::path() : ownFile(own, projectFolder);
        std::error_code ignored;
        if (!file.empty() && fs::is_regular_file(file, ignored)) location.outlived = file;
    } else
        location.refusal = workError("io.write", "the project may only be read")
                               .in(projectFolder.string())
                               .fix("copy it to a folder of yours");
    return location;
}

fs::path putAside(const fs::path& file) {
    fs::path aside = file.string() + ".damaged";
    std::error_code ignored;
    for (int n = 2; fs::exists(aside, ignored); ++n) aside = fmt::format("{}.damaged{}", file.string(), n);
    for (const char* suffix : {"", "-wal", "-shm"})
        fs::rename(file.string() + suffix, aside.string() + suffix, ignored);
    return aside;
}

}  // namespace kurve::store::detail
