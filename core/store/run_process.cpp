#include "core/store/run_process.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/base/clock.h"
#include "core/store/detail/process.h"

namespace kurve::store {

bool writerRunsHere(const std::filesystem::path& runFolder,
                    const std::map<std::string, std::string>& values) {
    return detail::stateOf(detail::ProcessIdentity::fromValues(values), runFolder) ==
           detail::ProcessState::Alive;
}

bool writerMayRun(const std::filesystem::path& runFolder, const std::map<std::string, std::string>& values) {
    const auto textOf = [&](const char* key) {
        const auto found = values.find(key);
        return found == values.end() ? std::string() : found->second;
    };
    static const std::set<std::string> kEnds{"completed", "cancelled", "failed"};
    const auto state = detail::stateOf(detail::ProcessIdentity::fromValues(values), runFolder);
    if (state != detail::ProcessState::Unknown) return state == detail::ProcessState::Alive;
    const double heartbeat = std::max(std::strtod(textOf("heartbeat_wall").c_str(), nullptr),
                                      std::strtod(textOf("started").c_str(), nullptr));
    return !kEnds.contains(textOf("state")) && wallSeconds() - heartbeat < detail::kLostAfterSeconds;
}

bool writtenHere(const std::filesystem::path& runFolder, const std::map<std::string, std::string>& values) {
    // After a reboot the device of a disk may have another number.
    const auto inode = [](const std::string& both) { return both.substr(both.find(':') + 1); };
    const std::string written = detail::ProcessIdentity::fromValues(values).dbInode;
    return !written.empty() && inode(written) == inode(detail::inodeOf(runFolder / "run.db"));
}

}  // namespace kurve::store
