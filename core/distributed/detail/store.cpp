#include "core/distributed/detail/store.h"

#include <fmt/format.h>
#include <unistd.h>

namespace kurve::distributed::detail {

std::string key(const char* what, int rank) {
    return fmt::format("{}/{}", what, rank);
}

void put(c10d::Store& store, const std::string& name, const std::string& text) {
    store.set(name, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string take(c10d::Store& store, const std::string& name) {
    const auto bytes = store.get(name);
    return {bytes.begin(), bytes.end()};
}

std::vector<int> allBut(int rank, int size) {
    std::vector<int> ranks;
    for (int r = 0; r < size; ++r)
        if (r != rank) ranks.push_back(r);
    return ranks;
}

std::string ownName() {
    char host[256] = "unknown";
    ::gethostname(host, sizeof(host) - 1);
    return fmt::format("host {}, pid {}", host, ::getpid());
}

}  // namespace kurve::distributed::detail
