#include "models/common/curve_maps.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/tensor/to_device.h"
#include "models/common/padding.h"

namespace kurve::models {
namespace {

using curve::Matrix;

curve::ShapeRule ruleOf(const RunConfig& config) {
    curve::ShapeRule rule;
    rule.rho = config.real("map.rho");
    rule.kappa = config.real("map.kappa");
    rule.degree = static_cast<int>(config.integer("map.degree"));
    rule.margin = config.real("map.margin");
    rule.adaptiveMargin = config.flag("map.adaptive_margin");
    rule.knots = config.text("map.knots") == "clamped" ? curve::Knots::Clamped : curve::Knots::Unclamped;
    rule.ridge = config.has("map.ridge") ? config.real("map.ridge") : 0;  // of the inverse alone
    return rule;
}

bool isIdentity(const Matrix& m) {
    if (m.rows != m.cols) return false;
    for (int r = 0; r < m.rows; ++r)
        for (int c = 0; c < m.cols; ++c)
            if (m.at(r, c) != (r == c ? 1.0 : 0.0)) return false;
    return true;
}

/// Moore-Penrose or ridge inverse of any matrix, in doubles.
Matrix inverseOf(const Matrix& psi, double ridge) {
    const auto options = at::TensorOptions(at::kDouble);
    const at::Tensor a = at::from_blob(const_cast<double*>(psi.data.data()), {psi.rows, psi.cols}, options);
    const at::Tensor result =
        ridge > 0
            ? at::linalg_solve(at::mm(a, a.t()) + ridge * at::eye(psi.rows, options), a).t().contiguous()
            : at::linalg_pinv(a).contiguous();
    Matrix inverse(psi.cols, psi.rows);
    std::copy_n(result.const_data_ptr<double>(), result.numel(), inverse.data.begin());
    return inverse;
}

/// Control "repeat": every word's tokens are copies of it and their mean is the word; token j belongs
/// to word floor(j L / M), so that the same M as the spline's is used up.
void repeatWords(LengthMap& map) {
    map.psi = Matrix(map.words, map.points);
    map.inverse = Matrix(map.points, map.words);
    std::vector<int> group(static_cast<std::size_t>(map.words));
    const auto wordOf = [&](int j) {
        return static_cast<int>(static_cast<std::int64_t>(j) * map.words / map.points);
    };
    for (int j = 0; j < map.points; ++j) ++group[static_cast<std::size_t>(wordOf(j))];
    for (int j = 0; j < map.points; ++j) {
        const int word = wordOf(j);
        map.psi.at(word, j) = 1.0 / group[static_cast<std::size_t>(word)];
        map.inverse.at(j, word) = 1;
        map.greville.push_back(map.positions[static_cast<std::size_t>(word)]);
    }
}

/// Random weights where the spline has its own, each row summing to one.
void randomiseBand(LengthMap& map, RandomStream& random) {
    for (int r = 0; r < map.words; ++r) {
        double sum = 0;
        for (int c = 0; c < map.points; ++c)
            if (map.psi.at(r, c) != 0) sum += map.psi.at(r, c) = 1 - random.uniform();
        for (int c = 0; c < map.points; ++c) map.psi.at(r, c) /= sum;
    }
}

/// Control "band". Weights whose inverse amplifies noise are drawn again: they would test conditioning, not
/// coupling. Of a band that never does without, the best of some draws.
void drawBand(LengthMap& map, std::uint64_t seed, double ridge) {
    constexpr int kDraws = 32;
    RandomStream random(seed, "map.band", static_cast<std::uint64_t>(map.words));
    const Matrix band = map.psi;
    LengthMap best;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kDraws && least > curve::kHighInputGain; ++i) {
        map.psi = band;
        randomiseBand(map, random);
        map.inverse = inverseOf(map.psi, ridge);
        const double gain = inputGain(map);
        if (gain >= least) continue;
        least = gain;
        best = map;
    }
    map = best;
}

}  // namespace

int pointsFor(const RunConfig& config, int words) {
    if (config.text("map.kind") != "repeat") return ruleOf(config).shapeFor(words).controlPoints;
    return std::max(words, static_cast<int>(std::floor(config.real("map.rho") * words + 0.5)));
}

LengthMap lengthMap(const RunConfig& config, int words) {
    const std::string& kind = config.text("map.kind");
    const curve::SplineShape shape = ruleOf(config).shapeFor(words);
    LengthMap map;
    map.words = words;
    map.points = pointsFor(config, words);
    map.positions = curve::wordPositions(shape);
    if (kind == "repeat") {
        repeatWords(map);
        return map;
    }
    map.greville = curve::greville(shape);
    map.psi = curve::psi(shape);
    if (isIdentity(map.psi))
        map.inverse = map.psi;
    else if (kind == "band")
        drawBand(map, static_cast<std::uint64_t>(config.integer("seed")), shape.ridge);
    else
        map.inverse = curve::pseudoInverse(shape);
    return map;
}

double inputGain(const LengthMap& map) {
    double sum = 0;
    for (const double value : map.inverse.data) sum += value * value;
    return sum / map.points;
}

std::int64_t CurveMaps::Rows::append(const Matrix& matrix, bool transposed) {
    const int rowCount = transposed ? matrix.cols : matrix.rows,
              columns = transposed ? matrix.rows : matrix.cols;
    const auto value = [&](int r, int c) { return transposed ? matrix.at(c, r) : matrix.at(r, c); };
    const auto start = static_cast<std::int64_t>(first.size());
    for (int r = 0; r < rowCount; ++r) {
        double largest = 0;
        for (int c = 0; c < columns; ++c) largest = std::max(largest, std::abs(value(r, c)));
        // Psi+ falls off exponentially beside its diagonal; what float32 would round away is left out
        const double negligible = largest * 0x1p-30;
        int from = 0, to = columns;
        while (from < to && std::abs(value(r, from)) <= negligible) ++from;
        while (to > from && std::abs(value(r, to - 1)) <= negligible) --to;
        first.push_back(from < to ? from : 0);
        for (int c = from; c < to; ++c) weight.push_back(static_cast<float>(value(r, c)));
        begin.push_back(static_cast<std::int64_t>(weight.size()));
    }
    return start;
}

void CurveMaps::Rows::upload(c10::Device device) {
    onDevice.first = tensor::toDevice(at::tensor(first, at::kInt), device);
    onDevice.begin = toDevice(std::span<const std::int64_t>(begin), device);
    onDevice.weight = toDevice(std::span<const float>(weight), device);
}

void CurveMaps::addLengths(std::span<const std::int32_t> lengths) {
    bool grown = false;
    for (const std::int32_t length : lengths) {
        const auto at = static_cast<std::size_t>(length);
        if (at >= entries_.size()) entries_.resize(at + 1);
        Entry& entry = entries_[at];
        if (entry.map) continue;
        grown = true;
        entry.map = std::make_shared<const LengthMap>(lengthMap(config_, length));
        entry.firstRow[kPsi] = rows_[kPsi].append(entry.map->psi, false);
        entry.firstRow[kPsiTransposed] = rows_[kPsiTransposed].append(entry.map->psi, true);
        entry.firstRow[kInverse] = rows_[kInverse].append(entry.map->inverse, false);
        entry.firstRow[kInverseTransposed] = rows_[kInverseTransposed].append(entry.map->inverse, true);
        entry.inputGain = inputGain(*entry.map);
    }
    if (grown)
        for (Rows& rows : rows_) rows.upload(device_);
}

CurveMaps::Batch CurveMaps::batch(std::span<const std::int32_t> lengths, std::int64_t width, bool trained) {
    // Decoding runs in inference mode, but training uses the same tables later.
    const c10::InferenceMode ordinary(false);
    addLengths(lengths);
    Batch out;
    std::vector<std::int32_t> words(lengths.begin(), lengths.end());
    for (const std::int32_t length : words) {
        const Entry& entry = entries_[static_cast<std::size_t>(length)];
        if (trained) worstGain_ = std::max(worstGain_, entry.inputGain);
        out.maps.push_back(entry.map);
        out.points.push_back(out.maps.back()->points);
        out.tokens = std::max<std::int64_t>(out.tokens, out.points.back());
    }
    const at::Tensor wordRows = tensor::toDevice(at::tensor(words, at::kInt), device_),
                     pointRows = tensor::toDevice(at::tensor(out.points, at::kInt), device_);
    const auto rowsOf = [&](Kind kind, const at::Tensor& rows, std::int64_t outRows) {
        std::vector<std::int64_t> table;
        for (const std::int32_t length : words)
            table.push_back(entries_[static_cast<std::size_t>(length)].firstRow[kind]);
        tensor::BandedRows banded = rows_[kind].onDevice;
        banded.table = toDevice(std::span<const std::int64_t>(table), device_);
        banded.rows = rows;
        banded.outRows = outRows;
        return banded;
    };
    out.psi = {rowsOf(kPsi, wordRows, width), rowsOf(kPsiTransposed, pointRows, out.tokens)};
    out.inverse = {rowsOf(kInverse, pointRows, out.tokens), rowsOf(kInverseTransposed, wordRows, width)};
    return out;
}

}  // namespace kurve::models
