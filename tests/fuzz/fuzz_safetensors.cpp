// Safetensors: any bytes are a file whose tensors all lie inside it, or an error.
#include <cstdlib>

#include "core/store/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kurve::store;
    const auto file = SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "fuzz.safetensors");
    if (!file) return 0;
    std::size_t bytes = 0;
    volatile unsigned sum = 0;
    for (const auto& [name, tensor] : (*file)->tensors()) {
        if (static_cast<std::size_t>(tensor.elements()) * elementBytes(tensor.dtype) != tensor.bytes.size())
            std::abort();
        for (const auto b : tensor.bytes) sum = sum + static_cast<unsigned>(b);
        bytes += tensor.bytes.size();
    }
    if (bytes > size) std::abort();
    return 0;
}
