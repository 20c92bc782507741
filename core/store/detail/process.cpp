#include "core/store/detail/process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <sstream>

namespace kurve::store::detail {
namespace {

std::string lineOf(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// State letter and start time of a process; both empty if there is none.
std::pair<std::string, std::string> statOf(std::int64_t pid) {
    const std::string line = lineOf(fmt::format("/proc/{}/stat", pid));
    const auto name = line.rfind(')');  // the name may hold spaces and brackets
    if (name == std::string::npos) return {};
    std::istringstream rest(line.substr(name + 1));
    std::string state, word;
    rest >> state;
    for (int field = 4; field <= 22; ++field) rest >> word;
    return {state, word};
}

std::string linkTarget(const char* link) {
    char target[128];
    const auto size = ::readlink(link, target, sizeof target);
    return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

std::string hostName() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

std::string inodeOf(const std::filesystem::path& file) {
    struct stat found {};
    return ::stat(file.c_str(), &found) == 0 ? fmt::format("{}:{}", found.st_dev, found.st_ino)
                                             : std::string();
}

ProcessIdentity ProcessIdentity::self(const std::filesystem::path& runFolder) {
    return {::getpid(),
            statOf(::getpid()).second,
            hostName(),
            lineOf("/proc/sys/kernel/random/boot_id"),
            linkTarget("/proc/self/ns/pid"),
            inodeOf(runFolder / "run.db")};
}

ProcessIdentity ProcessIdentity::fromValues(const std::map<std::string, std::string>& values) {
    const auto value = [&](const char* key) {
        const auto found = values.find(key);
        return found == values.end() ? std::string() : found->second;
    };
    ProcessIdentity process{
        0, value("pid_started"), value("host"), value("boot_id"), value("pid_namespace"), value("db_inode")};
    const std::string pid = value("pid");
    std::from_chars(pid.data(), pid.data() + pid.size(), process.pid);
    return process;
}

std::map<std::string, std::string> ProcessIdentity::values() const {
    return {{"pid", std::to_string(pid)}, {"pid_started", started},        {"host", host},
            {"boot_id", bootId},          {"pid_namespace", pidNamespace}, {"db_inode", dbInode}};
}

ProcessState stateOf(const ProcessIdentity& process, const std::filesystem::path& runFolder) {
    const auto here = ProcessIdentity::self(runFolder);
    if (process.pid <= 0) return ProcessState::Unknown;
    if (process.bootId != here.bootId)  // the same machine after a reboot has certainly lost its processes
        return process.host == here.host && !process.bootId.empty() ? ProcessState::Gone
                                                                    : ProcessState::Unknown;
    if (process.pidNamespace != here.pidNamespace) return ProcessState::Unknown;
    if (!process.dbInode.empty() && process.dbInode != here.dbInode) return ProcessState::Gone;
    const auto [state, started] = statOf(process.pid);
    const bool alive = !state.empty() && state != "Z" && state != "X" && started == process.started;
    return alive ? ProcessState::Alive : ProcessState::Gone;
}

}  // namespace kurve::store::detail
