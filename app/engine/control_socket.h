#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "core/wire/message.h"

namespace kurve::engine {

/// The control socket in the run folder that is open as `folder`. Paths of sockets end at 107 bytes; through
/// the folder's descriptor any depth works.
inline sockaddr_un socketAddress(int folder) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = "/proc/self/fd/" + std::to_string(folder) + "/" + wire::kControlSocket;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    return address;
}

}  // namespace kurve::engine
