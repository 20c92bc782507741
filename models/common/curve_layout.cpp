#include "models/common/curve_layout.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "models/common/encoder.h"
#include "models/common/padding.h"

namespace kurve::models {
namespace {

trace::Block blockOf(const std::vector<double>& values, std::vector<std::int64_t> shape) {
    return {std::move(shape), {values.begin(), values.end()}, false};
}

std::vector<std::int32_t> wordsOf(const CurveMaps::Batch& batch) {
    std::vector<std::int32_t> words;
    for (const auto& map : batch.maps) words.push_back(map->words);
    return words;
}

}  // namespace

CurveLayout::CurveLayout(CurveMaps::Batch batch, std::int64_t width, bool atGreville, c10::Device device)
    : TokenLayout(batch.points, batch.tokens, device),
      batch_(std::move(batch)),
      words_(std::span<const std::int32_t>(wordsOf(batch_)), width, device) {
    if (atGreville) findPositions(device);
}

void CurveLayout::findPositions(c10::Device device) {
    std::vector<std::int64_t> rows;
    std::vector<float> fractions;
    std::vector<double> coordinates;
    for (const auto& map : batch_.maps)
        for (std::int64_t j = 0; j < batch_.tokens; ++j) {
            // word coordinate xi_j (L - 1); padded tokens take the first word's position
            const double position =
                j < map->points ? map->greville[static_cast<std::size_t>(j)] * (map->words - 1) : 0;
            const double below = std::clamp(std::floor(position), 0.0, std::max(0.0, map->words - 2.0));
            rows.push_back(kFirstPositionRow + static_cast<std::int64_t>(below));
            fractions.push_back(static_cast<float>(position - below));
            coordinates.push_back(position);
        }
    const auto count = static_cast<std::int64_t>(batch_.maps.size());
    coordinates_ = at::tensor(coordinates).view({count, batch_.tokens});
    lowerRow_ = toDevice(std::span<const std::int64_t>(rows), device).view({count, batch_.tokens});
    fraction_ = toDevice(std::span<const float>(fractions), device).view({count, batch_.tokens, 1});
}

at::Tensor CurveLayout::tokensFromWords(const at::Tensor& words) const {
    return tensor::bandedMap(words, batch_.inverse);
}

at::Tensor CurveLayout::wordsFromTokens(const at::Tensor& tokens) const {
    return tensor::bandedMap(tokens, batch_.psi);
}

at::Tensor CurveLayout::positions(const at::Tensor& table) const {
    if (!lowerRow_.defined()) return TokenLayout::positions(table);
    return at::lerp(at::embedding(table, lowerRow_), at::embedding(table, lowerRow_ + 1), fraction_);
}

std::map<std::string, trace::Block> CurveLayout::describe(std::int64_t row) const {
    const LengthMap& map = *batch_.maps[static_cast<std::size_t>(row)];
    return {{"psi", blockOf(map.psi.data, {map.words, map.points})},
            {"greville", blockOf(map.greville, {map.points})},
            {"index", blockOf(map.positions, {map.words})}};
}

}  // namespace kurve::models
