#include "core/base/free_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace kurve {
namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> numberIn(const fs::path& file) {
    std::ifstream in(file);
    std::int64_t value = 0;
    return in >> value ? std::optional(value) : std::nullopt;  // "max" is none
}

/// The number behind a word at the beginning of a line.
std::optional<std::int64_t> numberAfter(const fs::path& file, const std::string& word) {
    std::ifstream in(file);
    for (std::string name, rest; in >> name; std::getline(in, rest))
        if (name == word) {
            std::int64_t value = 0;
            return in >> value ? std::optional(value) : std::nullopt;
        }
    return std::nullopt;
}

struct GroupFiles {
    const char *limit, *used, *cache;  ///< `cache`: pages in use that the kernel drops first, in memory.stat
};

std::optional<std::int64_t> leftIn(const fs::path& group, const GroupFiles& files) {
    const auto limit = numberIn(group / files.limit), used = numberIn(group / files.used);
    if (!limit || !used) return std::nullopt;
    const auto cache = numberAfter(group / "memory.stat", files.cache).value_or(0);
    return std::max<std::int64_t>(0, *limit - *used + cache);
}

}  // namespace

std::optional<std::int64_t> freeHostMemory(const fs::path& root) {
    std::optional<std::int64_t> least;
    const auto take = [&](std::optional<std::int64_t> bytes) {
        if (bytes) least = least ? std::min(*least, *bytes) : *bytes;
    };
    if (const auto kilobytes = numberAfter(root / "proc/meminfo", "MemAvailable:")) take(*kilobytes * 1024);
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // "0::/user.slice/app" or "9:memory:/app"
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool unified = controllers.empty();
        if (!unified && controllers.find("memory") == std::string::npos) continue;
        const GroupFiles files =
            unified ? GroupFiles{"memory.max", "memory.current", "inactive_file"}
                    : GroupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
        const fs::path mount = root / (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
        // Every group above sets its limit too; in a container the path may be one of the host's.
        fs::path group = fs::path(line.substr(second + 1)).relative_path();
        for (; !group.empty(); group = group.parent_path()) take(leftIn(mount / group, files));
        take(leftIn(mount, files));
    }
    return least;
}

}  // namespace kurve
