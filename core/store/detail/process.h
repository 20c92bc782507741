#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kurve::store::detail {

/// Who writes a run: enough to tell later whether that process still lives, without being fooled by a pid
/// used twice, a reboot, a container or a run folder copied to another machine.
struct ProcessIdentity {
    std::int64_t pid = 0;
    std::string started;  ///< clock ticks since boot, from /proc/<pid>/stat
    std::string host, bootId, pidNamespace;

    [[nodiscard]] static ProcessIdentity self();
    /// From and to the keys of the table run: pid, pid_started, host, boot_id, pid_namespace.
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
[[nodiscard]] ProcessState stateOf(const ProcessIdentity& process);

}  // namespace kurve::store::detail
