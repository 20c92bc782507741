// Wire lines: any bytes, cut anywhere, are the same messages or errors; a message that came in goes out and
// in again.
#include <cstdlib>

#include "core/wire/message.h"

namespace {

using namespace kurve;

void sameAgain(const wire::Message& message) {
    const std::string line = wire::encode(message);
    const auto again = wire::decode(line);
    if (line.find('\n') != std::string::npos) std::abort();
    if (!again || again->type != message.type || again->id != message.id || again->body != message.body)
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t cut = data[0] % (bytes.size() + 1);
    wire::LineReader whole, parts;
    const auto once = whole.feed(bytes);
    auto twice = parts.feed(bytes.substr(0, cut));
    for (auto& more : parts.feed(bytes.substr(cut))) twice.push_back(std::move(more));
    if (once.size() != twice.size()) std::abort();
    for (std::size_t i = 0; i < once.size(); ++i) {
        if (once[i].has_value() != twice[i].has_value()) std::abort();
        if (once[i]) sameAgain(*once[i]);
    }
    return 0;
}
