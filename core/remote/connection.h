#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/remote/machines.h"
#include "core/wire/message.h"

namespace kurve::remote {

/// Version of the requests of `kurve serve --stdio`; app/engine/remote_server.h has them.
inline constexpr int kServeProtocol = 2;
/// Names the ssh client and its options, words separated by spaces; "ssh" without it.
inline constexpr const char* kSshVariable = "KURVE_SSH";

/// ssh to a machine with `kurve serve --stdio` at its end, a child process. It asks for no password and
/// accepts no host key (BatchMode). Use from one thread; the destructor ends the child.
class Connection {
public:
    /// Connects and exchanges hello. `project`: its projectName(). Errors: remote.* (connection_errors.h),
    /// remote.other_version, remote.folder (the machine's folder is that of another project, or of none).
    static Result<std::unique_ptr<Connection>> open(const Machine& machine, const std::string& project);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    /// The answer to a request; its id is set here. An answer "error" is returned as that Error. Errors:
    /// remote.* of a connection that broke or was silent for `seconds`: isBroken() tells it from an answer.
    Result<wire::Message> ask(const std::string& type, nlohmann::json body, double seconds = 60);
    /// Messages without an id that came, in order; waits up to `seconds` for the first.
    std::vector<wire::Message> notifications(double seconds);

    [[nodiscard]] bool isBroken() const { return broken_; }
    [[nodiscard]] const nlohmann::json& hello() const { return hello_; }  ///< as the other side said it
    [[nodiscard]] int pid() const { return pid_; }                        ///< of ssh

private:
    explicit Connection(Machine machine) : machine_(std::move(machine)) {}
    Status start();
    Status greet(const std::string& project);
    Status send(const std::string& bytes, double deadline);
    enum class WaitFor : unsigned char { Input, InputOrRoom };
    /// Waits for something to read and files it, or until ssh takes more; false at the deadline.
    Result<bool> readMore(double deadline, WaitFor wanted = WaitFor::Input);
    void take(wire::Message message);
    /// The error of a connection that ended, by the exit code and the last words of ssh; always the same.
    Error ended();
    Error silent();
    Error otherVersion(const std::string& what);

    Machine machine_;
    int pid_ = -1, in_ = -1, out_ = -1, err_ = -1;
    bool broken_ = false;
    std::optional<Error> end_;
    std::uint64_t lastId_ = 0;
    std::string log_;  ///< stderr of ssh, its end
    wire::LineReader reader_;
    std::deque<wire::Message> answers_, notifications_;
    nlohmann::json hello_;
};

}  // namespace kurve::remote
