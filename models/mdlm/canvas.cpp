#include "models/mdlm/canvas.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "models/common/padding.h"

namespace kurve::models::mdlm {
namespace {

/// Columns of [source, text] that each row reads, then any of its padding: [B, W].
at::Tensor packedColumns(const train::DeviceBatch& batch, const std::vector<std::int32_t>& lengths,
                         std::int64_t width) {
    std::vector<std::int64_t> columns;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        const std::int64_t source = batch.sourceLengths[r];
        for (std::int64_t i = 0; i < width; ++i)
            columns.push_back(i < source ? i
                                         : std::min(batch.sourceLength + i - source,
                                                    batch.sourceLength + batch.targetLength - 1));
    }
    return toDevice(std::span<const std::int64_t>(columns), batch.target.device()).view({batch.rows, width});
}

/// Fills both masks of a row: its text begins at `first`.
struct RowMasks {
    bool *maskable, *counted;

    void set(std::int32_t first, std::int32_t length, std::int64_t width, const CanvasRules& rules) const {
        const auto begin = static_cast<std::int64_t>(first);
        if (!rules.fixed) {
            std::fill(maskable + begin + 1, maskable + begin + length - 1, true);
            std::fill(counted + begin + 1, counted + begin + length - 1, true);
            return;
        }
        const std::int64_t open = rules.anchor ? begin + 1 : begin;
        std::fill(maskable + open, maskable + width, true);
        std::fill(counted + open, counted + begin + length, true);
    }
};

}  // namespace

Canvas canvasOf(const train::DeviceBatch& batch, const CanvasRules& rules) {
    Canvas canvas;
    const bool hasSource = batch.sourceLength > 0;
    KURVE_CHECK(!hasSource || !rules.fixed, "a fixed canvas has no source");
    for (std::size_t r = 0; r < batch.targetLengths.size(); ++r)
        canvas.lengths.push_back(batch.targetLengths[r] + (hasSource ? batch.sourceLengths[r] : 0));
    if (rules.fixed) canvas.lengths.assign(canvas.lengths.size(), static_cast<std::int32_t>(rules.width));
    std::int64_t width = 0;
    for (const std::int32_t length : canvas.lengths) width = std::max<std::int64_t>(width, length);
    if (hasSource)
        canvas.ids =
            at::cat({batch.source, batch.target}, 1).gather(1, packedColumns(batch, canvas.lengths, width));
    else if (rules.fixed)
        canvas.ids = at::constant_pad_nd(batch.target, {0, width - batch.targetLength}, rules.special.pad);
    else
        canvas.ids = batch.target.narrow(1, 0, width);
    canvas.maskable = at::zeros({batch.rows, width}, at::kBool);
    canvas.counted = at::zeros({batch.rows, width}, at::kBool);
    for (std::int64_t r = 0; r < batch.rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        const RowMasks masks{canvas.maskable.mutable_data_ptr<bool>() + r * width,
                             canvas.counted.mutable_data_ptr<bool>() + r * width};
        masks.set(hasSource ? batch.sourceLengths[row] : 0, batch.targetLengths[row], width, rules);
    }
    return canvas;
}

}  // namespace kurve::models::mdlm
