#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

namespace kurve::sampling::test {

/// A group of what tests/golden/oracles/make_calm_laws.py wrote.
inline const nlohmann::json& calmLaws(const char* group) {
    static const nlohmann::json all = [] {
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/oracles/calm_laws.json");
        return nlohmann::json::parse(file);
    }();
    return all.at(group);
}

}  // namespace kurve::sampling::test
