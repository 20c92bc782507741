#pragma once

#include <string>

#include "core/base/error.h"
#include "core/remote/machines.h"

namespace kurve::remote {

/// Why ssh ended, by its exit code and what it wrote on stderr (OpenSSH's messages, sshconnect.c; they are
/// not translated): remote.unreachable, remote.host_key_changed, remote.host_key_unknown,
/// remote.authentication, remote.no_program, remote.other_version (a kurve without `serve`),
/// remote.connection.
[[nodiscard]] Error connectionError(const Machine& machine, int exitCode, const std::string& log);

/// Commands that install this version there.
[[nodiscard]] std::string installHint(const Machine& machine);

}  // namespace kurve::remote
