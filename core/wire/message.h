#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kurve::wire {

inline constexpr int kProtocol = 1;
/// Unix socket in the run folder of a live engine: a studio that comes later connects, says hello, and gets
/// hello, the present state and from then on every event, as on stdout. A path over 107 bytes: bind and
/// connect through /proc/self/fd/<folder>/control.sock.
inline constexpr const char* kControlSocket = "control.sock";
inline constexpr std::size_t kMaxLineBytes = 8u << 20;  ///< longer lines are an error value, not memory

/// One line of the wire (cli.md): {"v":1,"type":…,"id"?:…, …}. Types are the strings of cli.md.
struct Message {
    std::string type;
    std::string id;       ///< request id, empty where there is none
    nlohmann::json body;  ///< the other members, an object
};

/// The line without its newline. Never contains a raw newline.
[[nodiscard]] std::string encode(const Message& message);
/// Errors: wire.syntax, wire.version, wire.too_long, wire.no_type. Total: never throws on any bytes.
Result<Message> decode(std::string_view line);

/// Cuts a byte stream into lines, keeps the unfinished rest; bounded by kMaxLineBytes (a longer line is
/// reported once as an error and skipped to its end).
class LineReader {
public:
    /// Appends bytes and returns what became complete.
    std::vector<Result<Message>> feed(std::string_view bytes);

private:
    std::string rest_;
    bool skipping_ = false;
};

}  // namespace kurve::wire
