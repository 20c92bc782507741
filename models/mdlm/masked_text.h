#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::models::mdlm {

/// One text while it is generated: a source, if there is one, and the text's positions behind it.
struct MaskedText {
    std::size_t number = 0;             ///< of the request's row
    std::int32_t maskId = 0;            ///< SpecialIds::mask
    std::vector<std::int32_t> ids;      ///< source and text; maskId where masked
    int first = 0;                      ///< where the text begins in ids
    int steps = 1;                      ///< that it takes by itself
    std::vector<std::uint8_t> given;    ///< [ids] never changed
    std::vector<float> probability;     ///< [ids] of the token when it was unmasked; 1 where given
    std::vector<std::uint8_t> changes;  ///< [ids] trace::TokenState of the last step

    [[nodiscard]] bool masked(int position) const;
    /// In ascending order, within [begin, end).
    [[nodiscard]] std::vector<int> maskedPositions(int begin, int end) const;
    [[nodiscard]] std::vector<int> maskedPositions() const {
        return maskedPositions(first, static_cast<int>(ids.size()));
    }
    /// Not given, not masked.
    [[nodiscard]] std::vector<int> written() const;
    void unmask(int position, std::int32_t token, float tokenProbability);
    void mask(int position);
    void fix(int position, std::int32_t token);
    /// At a step's begin: what nothing happens to is kept.
    void beginStep();
};

}  // namespace kurve::models::mdlm
