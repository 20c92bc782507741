#pragma once

#include <torch/torch.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kurve::testing {

/// A file of tests/golden.
inline nlohmann::json goldenFile(const std::string& name) {
    std::ifstream file(std::string(KURVE_SOURCE_DIR "/tests/golden/") + name);
    return nlohmann::json::parse(file);
}

/// Nested lists of numbers or booleans as doubles.
inline at::Tensor tensorOf(const nlohmann::json& nested) {
    std::vector<std::int64_t> shape;
    for (const nlohmann::json* level = &nested; level->is_array(); level = &level->front())
        shape.push_back(static_cast<std::int64_t>(level->size()));
    std::vector<double> values;
    const std::function<void(const nlohmann::json&)> collect = [&](const nlohmann::json& node) {
        if (node.is_boolean()) return values.push_back(node.get<bool>() ? 1 : 0);
        if (!node.is_array()) return values.push_back(node.get<double>());
        for (const nlohmann::json& child : node) collect(child);
    };
    collect(nested);
    return at::tensor(values, at::kDouble).view(shape);
}

/// The largest difference; NaN, which every bound refuses, where a number is one.
inline double difference(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

}  // namespace kurve::testing
