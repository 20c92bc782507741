#pragma once

#include "models/common/curve_maps.h"
#include "models/common/token_layout.h"

namespace kurve::models {

/// Tokens are control points: C = Psi+ Z on the way in, X = Psi C on the way out (SCLM, sec. 4.2).
class CurveLayout final : public TokenLayout {
public:
    /// `atGreville`: positions are those of words at the Greville abscissae.
    CurveLayout(CurveMaps::Batch batch, std::int64_t width, bool atGreville, c10::Device device);

    [[nodiscard]] at::Tensor tokensFromWords(const at::Tensor& words) const override;
    [[nodiscard]] at::Tensor wordsFromTokens(const at::Tensor& tokens) const override;
    [[nodiscard]] at::Tensor positions(const at::Tensor& table) const override;
    [[nodiscard]] at::Tensor maybeCoordinates() const override { return coordinates_; }
    [[nodiscard]] const TokenLayout& words() const override { return words_; }
    [[nodiscard]] std::map<std::string, trace::Block> describe(std::int64_t row) const override;

private:
    void findPositions(c10::Device device);

    CurveMaps::Batch batch_;
    TokenLayout words_;
    at::Tensor coordinates_;  ///< maybeCoordinates()
    at::Tensor lowerRow_,
        fraction_;  ///< [B, M] i64 row of the table below the position, [B, M, 1] weight of the next
};

}  // namespace kurve::models
