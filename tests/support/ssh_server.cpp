#include "tests/support/ssh_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "/usr/sbin/sshd";

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool ok = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(fd);
    if (!ok) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

bool answers(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    const bool ok = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return ok;
}

void makeKey(const fs::path& file) {
    fs::remove(file);
    const std::string command = "ssh-keygen -q -t ed25519 -N '' -f '" + file.string() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no key");
}

std::vector<pid_t> childrenOf(pid_t pid) {
    std::vector<pid_t> all;
    const std::string id = std::to_string(pid);
    std::ifstream in("/proc/" + id + "/task/" + id + "/children");
    for (pid_t child = 0; in >> child;) all.push_back(child);
    return all;
}

/// Of a connection: one for root, two for others; from OpenSSH 9.8 on they are "sshd-session" and
/// "sshd-auth". The shell and what it runs are not ended.
void killConnections(pid_t parent) {
    for (const pid_t child : childrenOf(parent)) {
        std::string name;
        std::ifstream("/proc/" + std::to_string(child) + "/comm") >> name;
        if (!name.starts_with("sshd")) continue;
        killConnections(child);
        ::kill(child, SIGKILL);
    }
}

}  // namespace

std::string SshServer::missing() {
    for (const char* program : {kProgram, "/usr/bin/ssh", "/usr/bin/ssh-keygen"})
        if (!fs::exists(program)) return std::string(program) + " is not installed";
    return {};
}

SshServer::SshServer() : port_(freePort()) {
    makeKey(folder_ / "host");
    makeKey(folder_ / "user");
    fs::copy_file(folder_ / "user.pub", folder_ / "authorized_keys");
    writeSettings();
    knowHostKey();
    if (::getuid() == 0) ::mkdir("/run/sshd", 0755);  // sshd of root refuses to start without it
    ::setenv("KURVE_SSH", ("ssh -F " + (folder_ / "config").string()).c_str(), 1);
    start();
}

SshServer::~SshServer() {
    stop();
    ::unsetenv("KURVE_SSH");
}

void SshServer::writeSettings() const {
    std::ofstream(folder_ / "sshd_config")
        << "Port " << port_ << "\nListenAddress 127.0.0.1\nHostKey " << (folder_ / "host").string()
        << "\nAuthorizedKeysFile " << (folder_ / "authorized_keys").string()
        << "\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
           "KbdInteractiveAuthentication no\nMaxStartups 100\nSetEnv PATH="
        << KURVE_BINARY_DIR << "/bin:/usr/bin:/bin OMP_NUM_THREADS=1\n";
    std::ofstream(folder_ / "config")
        << "Host gpu\nHostName 127.0.0.1\nPort " << port_ << "\nUser " << ::getpwuid(::getuid())->pw_name
        << "\nIdentityFile " << (folder_ / "user").string() << "\nIdentitiesOnly yes\n"
        << "UserKnownHostsFile " << (folder_ / "known_hosts").string() << "\n";
}

void SshServer::knowHostKey() const {
    std::ifstream in(folder_ / "host.pub");
    std::string kind, key;
    in >> kind >> key;
    std::ofstream(folder_ / "known_hosts") << "[127.0.0.1]:" << port_ << " " << kind << " " << key << "\n";
}

void SshServer::start() {
    const std::string settings = folder_ / "sshd_config", log = folder_ / "log";
    pid_ = ::fork();
    if (pid_ == 0) {
        ::execl(kProgram, kProgram, "-D", "-f", settings.c_str(), "-E", log.c_str(), nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 500 && !answers(port_); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void SshServer::stop() {
    if (pid_ <= 0) return;
    cut();
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void SshServer::cut() const {
    killConnections(pid_);
}

void SshServer::replaceHostKey() {
    stop();
    makeKey(folder_ / "host");
    start();
}

void SshServer::forgetHostKey() const {
    std::ofstream(folder_ / "known_hosts", std::ios::trunc);
}

void SshServer::refuseKeys() const {
    std::ofstream(folder_ / "authorized_keys", std::ios::trunc);
}

}  // namespace kurve::testing
