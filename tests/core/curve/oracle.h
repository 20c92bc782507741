#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace kurve::curve {

/// A group of the numbers that make_sclm_difformer_mdlm.py wrote with scipy, independently of this program.
inline const nlohmann::json& oracle(const std::string& group) {
    static const nlohmann::json all = [] {
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/oracles/sclm_difformer_mdlm.json");
        return nlohmann::json::parse(file);
    }();
    return all.at(group);
}

}  // namespace kurve::curve
