#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace kurve::interop::detail {

/// JSON has no word for what is not finite: those become the texts "inf", "-inf" and "nan".
[[nodiscard]] inline nlohmann::json jsonNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

[[nodiscard]] inline nlohmann::json jsonNumbers(std::span<const double> values) {
    nlohmann::json array = nlohmann::json::array();
    for (const double v : values) array.push_back(jsonNumber(v));
    return array;
}

/// Texts of others may hold what is not UTF-8; it is replaced rather than refused.
[[nodiscard]] inline std::string jsonText(const nlohmann::json& document, int indent = 1) {
    return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kurve::interop::detail
