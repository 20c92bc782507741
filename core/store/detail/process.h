#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace kurve::store::detail {

/// Who writes a run: enough to tell later whether that process still lives, without being fooled by a pid
/// used twice, a reboot, a container or a run folder copied to another machine.
struct ProcessIdentity {
    std::int64_t pid = 0;
    std::string started;  ///< clock ticks since boot, from /proc/<pid>/stat
    std::string host, bootId, pidNamespace;
    std::string dbInode;  ///< inodeOf() the run.db that it writes: a copy of the folder has another

    [[nodiscard]] static ProcessIdentity self(const std::filesystem::path& runFolder);
    /// From and to the keys of the table run: pid, pid_started, host, boot_id, pid_namespace, db_inode.
    [[nodiscard]] static ProcessIdentity fromValues(const std::map<std::string, std::string>& values);
    [[nodiscard]] std::map<std::string, std::string> values() const;
};

/// So long without a sign of life, a process that cannot be looked at is out of contact.
inline constexpr double kLostAfterSeconds = 30;

enum class ProcessState : std::uint8_t {
    Alive,
    Gone,
    Unknown,  ///< runs (or ran) where this process cannot look
};
/// As the writer of the run in that folder: of a copy the process of the original is gone.
[[nodiscard]] ProcessState stateOf(const ProcessIdentity& process, const std::filesystem::path& runFolder);

/// "device:inode" of a file; empty: there is none.
[[nodiscard]] std::string inodeOf(const std::filesystem::path& file);

}  // namespace kurve::store::detail
