// without_network PROGRAM ARGUMENTS…: runs it so that the first internet socket that it or a child of it asks
// for kills the one who asked (SIGSYS). Needs no privileges, unlike a network namespace. Sockets of this
// machine are let be.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#endif

namespace {

constexpr unsigned short kLoad = BPF_LD | BPF_W | BPF_ABS, kIfEqual = BPF_JMP | BPF_JEQ | BPF_K,
                         kReturn = BPF_RET | BPF_K;

bool cutTheNetwork() {
    std::array<sock_filter, 9> program{{
        BPF_STMT(kLoad, offsetof(seccomp_data, arch)),
        BPF_JUMP(kIfEqual, kMachine, 0, 6),
        BPF_STMT(kLoad, offsetof(seccomp_data, nr)),
        BPF_JUMP(kIfEqual, __NR_socket, 0, 4),
        BPF_STMT(kLoad, offsetof(seccomp_data, args)),  // the family: both machines are little-endian
        BPF_JUMP(kIfEqual, AF_INET, 1, 0),
        BPF_JUMP(kIfEqual, AF_INET6, 0, 1),
        BPF_STMT(kReturn, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(kReturn, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fputs("usage: without_network PROGRAM ARGUMENTS…\n", stderr);
        return 2;
    }
    if (!cutTheNetwork()) {
        std::perror("without_network: this kernel has no seccomp filters");
        return 125;
    }
    ::execvp(arguments[1], arguments + 1);
    std::perror(arguments[1]);
    return 127;
}
