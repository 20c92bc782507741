#include "core/remote/connection_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve::remote {
namespace {

/// What OpenSSH 9.2 wrote.
TEST(ConnectionErrors, AreThoseOfOpenSsh) {
    const Machine machine{"gpu", "h", "kurve", "~/x"};
    const auto code = [&](int exitCode, const std::string& log) {
        return connectionError(machine, exitCode, log).code;
    };
    EXPECT_EQ(code(255,
                   "No ED25519 host key is known for h and you have requested strict checking.\r\n"
                   "Host key verification failed.\r\n"),
              "remote.host_key_unknown");
    EXPECT_EQ(code(255,
                   "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n…\r\n"
                   "Host key verification failed.\r\n"),
              "remote.host_key_changed");
    EXPECT_EQ(code(255, "root@h: Permission denied (publickey).\r\n"), "remote.authentication");
    EXPECT_EQ(code(255, "ssh: Could not resolve hostname h: Name or service not known\r\n"),
              "remote.unreachable");
    EXPECT_EQ(code(255, "ssh: connect to host h port 22: Connection refused\r\n"), "remote.unreachable");
    EXPECT_EQ(code(127, "bash: line 1: kurve: command not found\n"), "remote.no_program");
    EXPECT_EQ(code(2, "kurve: there is no command \"serve\"; kurve --help lists them\n"),
              "remote.other_version");
    EXPECT_EQ(code(255, "Connection to h closed by remote host.\r\n"), "remote.connection");
    EXPECT_EQ(code(255, ""), "remote.connection");
}

TEST(ConnectionErrors, TheHintSaysWhatAGpuNeeds) {
    const std::string hint = installHint({"gpu", "h", "kurve", "~/x"});
    EXPECT_THAT(hint, ::testing::HasSubstr("For a GPU: clone the repository there, `cmake --preset cuda"));
    EXPECT_THAT(hint, ::testing::HasSubstr("CPU alone: packaging/run"));
}

}  // namespace
}  // namespace kurve::remote
