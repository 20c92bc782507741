#include "core/remote/connection_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/version.h"

namespace kurve::remote {
namespace {

bool says(const std::string& log, std::initializer_list<const char*> texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const char* text) { return log.find(text) != std::string::npos; });
}

/// The last line of it that says something.
std::string lastLine(const std::string& log) {
    std::string last;
    for (const auto& line : split(log, '\n'))
        if (const auto text = trim(line); !text.empty()) last = text;
    return last;
}

}  // namespace

std::string installHint(const Machine& machine) {
    return fmt::format(
        "install kurve {0} there. For a GPU: clone the repository there, `cmake --preset cuda && cmake "
        "--build --preset cuda`. For its CPU alone: packaging/run in the clone, or scp kurve_{0}*.deb "
        "kurve-libtorch_*.deb {1}: and `apt install ./kurve*.deb` as root (packaging/deb makes them). "
        "`program` in machines.toml names it where it is not in PATH",
        versionText(), machine.host);
}

Error connectionError(const Machine& machine, int exitCode, const std::string& log) {
    const auto error = [&](const char* code, const std::string& message) {
        return workError(code, fmt::format("{} ({}): {}", machine.name, machine.host, message));
    };
    if (says(log, {"REMOTE HOST IDENTIFICATION HAS CHANGED"}))
        return error("remote.host_key_changed", "its host key is not the one that ssh knows")
            .fix(fmt::format("ask its administrator whether it was changed; then `ssh-keygen -R HOST` and "
                             "`ssh {}` once by hand",
                             machine.host));
    if (says(log, {"Host key verification failed"}))
        return error("remote.host_key_unknown", "ssh does not know its host key")
            .fix(fmt::format("`ssh {}` once by hand shows its fingerprint to confirm", machine.host));
    if (says(log, {"Permission denied", "Too many authentication failures"}))
        return error("remote.authentication", "it accepts no key of yours")
            .fix(fmt::format("`ssh-copy-id {}`, or unlock the key: ssh-add; no password is asked for",
                             machine.host));
    if (says(log, {"Could not resolve hostname", "Connection refused", "timed out", "No route to host",
                   "Network is unreachable"}))
        return error("remote.unreachable", lastLine(log)).fix("see that it is on and that ssh runs there");
    if (exitCode == 127 || exitCode == 126)
        return error("remote.no_program", fmt::format("there is no {}", machine.program))
            .fix(installHint(machine));
    if (says(log, {"there is no command \"serve\""}))
        return error("remote.other_version", "its kurve has no command serve yet").fix(installHint(machine));
    const std::string last = lastLine(log);
    return error("remote.connection", last.empty()
                                          ? fmt::format("the connection broke (ssh ended with {})", exitCode)
                                          : "the connection broke: " + last)
        .fix("try again");
}

}  // namespace kurve::remote
