#include "core/store/detail/safetensors_head.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kurve::store::detail {

std::uint64_t bytesOf(const TensorView& tensor) {
    const std::size_t size = elementBytes(tensor.dtype);
    KURVE_CHECK(size > 0, "unknown dtype {}", tensor.dtype);
    return static_cast<std::uint64_t>(tensor.elements()) * size;
}

SafetensorsHead::SafetensorsHead(const std::map<std::string, TensorView>& tensors,
                                 const std::map<std::string, std::string>& metadata) {
    for (const auto& [name, tensor] : tensors) order.push_back(name);
    // Wide elements first (as the Python package does): gaps are forbidden, so only this order keeps all of
    // them aligned.
    const auto width = [&](const std::string& name) { return elementBytes(tensors.at(name).dtype); };
    std::stable_sort(order.begin(), order.end(),
                     [&](const std::string& a, const std::string& b) { return width(a) > width(b); });
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t at = 0;
    for (const std::string& name : order) {
        const TensorView& tensor = tensors.at(name);
        const std::uint64_t end = at + bytesOf(tensor);
        header[name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
        offsets[name] = at;
        at = end;
    }
    auto text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    bytes.assign(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += text;
    for (auto& [name, offset] : offsets) offset += bytes.size();
    fileBytes = bytes.size() + at;
}

}  // namespace kurve::store::detail
