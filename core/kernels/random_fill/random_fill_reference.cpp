#include "core/kernels/random_fill/random_fill.h"
#include "core/kernels/random_fill/random_value.h"

namespace kurve::kernels::reference {
namespace {

struct Cell {
    PhiloxBlock block;
    int word;
};

Cell cellOf(const RandomRows& rows, std::int64_t row, std::int64_t element) {
    const auto group = static_cast<std::uint32_t>(element / detail::kGroup);
    const auto inGroup = static_cast<std::uint32_t>(element % detail::kGroup);
    return {detail::blockAt(rows.key, rows.step, rows.firstRow + static_cast<std::uint64_t>(row),
                            group * detail::kBlocksPerGroup + inGroup % detail::kBlocksPerGroup),
            static_cast<int>(inGroup / detail::kBlocksPerGroup)};
}

template <class Value>
void forEach(const RandomRows& rows, float* out, const Value& value) {
    for (std::int64_t r = 0; r < rows.rows; ++r)
        for (std::int64_t e = 0; e < rows.rowLength; ++e) {
            const std::int64_t at = r * rows.rowLength + e;
            out[at] = value(cellOf(rows, r, e), at);
        }
}

}  // namespace

void fill(const RandomRows& block, const UniformFill&, float* out) {
    forEach(block, out,
            [](const Cell& cell, std::int64_t) { return detail::uniformOf(cell.block.word[cell.word]); });
}

void fill(const RandomRows& block, const NormalFill& op, float* out) {
    forEach(block, out, [&op](const Cell& cell, std::int64_t) {
        const int first = cell.word & ~1;
        const detail::NormalPair pair = detail::normalsOf(cell.block.word[first], cell.block.word[first + 1]);
        return op.mean + op.stddev * (cell.word == first ? pair.first : pair.second);
    });
}

void fill(const RandomRows& block, const DropoutFill& op, float* out) {
    const std::uint32_t threshold = detail::dropThreshold(op.rate);
    const float scale = 1.0f / (1.0f - op.rate);
    forEach(block, out, [&](const Cell& cell, std::int64_t at) {
        const float kept = op.input[at] * (cell.block.word[cell.word] < threshold ? 0.0f : scale);
        return op.residual != nullptr ? op.residual[at] + kept : kept;
    });
}

}  // namespace kurve::kernels::reference
