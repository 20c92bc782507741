#include "core/base/process_meter.h"

#include <unistd.h>
#include <ctime>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace kurve {
namespace {

// Fields of /proc/PID/stat, counted from 1 (proc(5)): its own time and that of children that have ended.
constexpr int kFirstTicks = 14, kLastTicks = 17;

std::optional<ProcessUse> useIn(const std::string& folder) {
    std::ifstream stat(folder + "/stat"), statm(folder + "/statm");
    const std::string text{std::istreambuf_iterator<char>(stat), {}};
    const auto name = text.rfind(')');  // the name may hold spaces and brackets
    std::int64_t pages = 0, resident = 0;
    if (name == std::string::npos || !(statm >> pages >> resident)) return std::nullopt;
    std::istringstream rest(text.substr(name + 1));
    std::string word;
    double ticks = 0;
    for (int field = 3; field <= kLastTicks; ++field) {
        if (!(rest >> word)) return std::nullopt;
        if (field >= kFirstTicks) ticks += static_cast<double>(std::stoll(word));
    }
    return ProcessUse{ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)),
                      resident * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE))};
}

}  // namespace

std::optional<ProcessUse> processUse(std::int64_t pid) {
    const std::string processes = "/proc/", id = std::to_string(pid);
    auto use = useIn(processes + id);
    std::ifstream children(processes + id + "/task/" + id + "/children");
    for (std::string child; use && children >> child;)
        if (const auto more = useIn(processes + child)) {
            use->cpuSeconds += more->cpuSeconds;
            use->residentBytes += more->residentBytes;
        }
    return use;
}

std::optional<ProcessUse> ownProcessUse() {
    auto use = useIn("/proc/self");
    timespec time{};  // finer than the ticks of 10 ms in /proc
    if (use && ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0)
        use->cpuSeconds = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    return use;
}

}  // namespace kurve
