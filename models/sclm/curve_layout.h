#pragma once

#include "models/difformer/token_layout.h"
#include "models/sclm/curve_maps.h"

namespace kurve::models::sclm {

/// Tokens are control points: C = Psi+ Z on the way in, X = Psi C on the way out (SCLM, sec. 4.2).
class CurveLayout final : public difformer::TokenLayout {
public:
    /// `atGreville`: positions are interpolated at the Greville abscissae of a table over words.
    CurveLayout(CurveMaps::Batch batch, bool atGreville, c10::Device device);

    [[nodiscard]] at::Tensor tokensFromWords(const at::Tensor& words) const override;
    [[nodiscard]] at::Tensor wordsFromTokens(const at::Tensor& tokens) const override;
    [[nodiscard]] at::Tensor positions(const at::Tensor& table) const override;
    [[nodiscard]] std::map<std::string, trace::Block> describe(std::int64_t row) const override;

private:
    void findPositions(c10::Device device);

    CurveMaps::Batch batch_;
    at::Tensor lowerRow_,
        fraction_;  ///< [B, M] i64 row of the table below the position, [B, M, 1] weight of the next
};

}  // namespace kurve::models::sclm
