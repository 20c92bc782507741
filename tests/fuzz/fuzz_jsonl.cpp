// Lines of JSON: any bytes are two texts that fit a TSV, or an error.
#include <cstdint>
#include <cstdlib>

#include "core/base/text.h"
#include "core/text/detail/json_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kurve;
    const auto pair = text::detail::readJsonLine({reinterpret_cast<const char*>(data), size}, true);
    if (!pair) return 0;
    for (const std::string& side : {pair->source, pair->target}) {
        if (firstInvalidUtf8(side)) std::abort();
        if (side.find_first_of(std::string_view("\0\t\n\r", 4)) != std::string::npos) std::abort();
    }
    return 0;
}
