#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kurve::interop::detail {

/// One value of a TensorBoard event.
struct EventValue {
    std::string_view tag;
    std::string_view plugin;        ///< named in its metadata; empty if it has none
    std::optional<double> simple;   ///< simple_value
    std::optional<double> element;  ///< of a tensor with one element
    const char* kind = "other";     ///< "scalar", "tensor", "histogram", "image", "audio" or "other"
};

struct DecodedEvent {
    double wall = 0;
    std::int64_t step = 0;
    bool sessionStart = false;
    std::vector<EventValue> values;
};

/// The parts of the message tensorflow.Event that concern curves; views point into `payload`. Nothing if it
/// is damaged.
[[nodiscard]] std::optional<DecodedEvent> decodeEvent(std::string_view payload);

}  // namespace kurve::interop::detail
