#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace kurve::testing {

/// A real sshd on this machine, run by this user with keys and settings of its own, and the setting of ssh
/// that reaches it as "gpu". There it finds the programs of this build.
class SshServer {
public:
    SshServer();
    ~SshServer();
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;

    /// Why there can be none here; empty: there can.
    [[nodiscard]] static std::string missing();
    void start();
    void stop();
    /// Ends every connection that is open, as a cut line does.
    void cut() const;
    void replaceHostKey();
    void forgetHostKey() const;
    void refuseKeys() const;

private:
    void writeSettings() const;
    void knowHostKey() const;

    TemporaryFolder folder_;
    int port_ = 0;
    pid_t pid_ = -1;
};

}  // namespace kurve::testing
