#include "models/cmlm/masking.h"

#include <torch/torch.h>

#include <algorithm>
#include <optional>

#include "core/sampling/mask_choice.h"
#include "core/tensor/random.h"
#include "models/cmlm/cmlm_fields.h"

namespace kurve::models::cmlm {
namespace {

/// One random number per position, however the batch is split; of the whole batch in one call.
class Ranks {
public:
    Ranks(const StreamId& stream, std::uint64_t firstRow, const train::DeviceBatch& batch)
        : values_(tensor::uniformRows({batch.rows, batch.targetLength}, {stream, firstRow}, at::kCPU)) {}
    /// Of the row's first positions.
    [[nodiscard]] std::vector<float> of(std::size_t row, std::int32_t count) const {
        const float* first =
            values_.const_data_ptr<float>() + static_cast<std::int64_t>(row) * values_.size(1);
        return {first, first + count};
    }

private:
    at::Tensor values_;
};

}  // namespace

MaskCounts countMasks(const train::DeviceBatch& batch, const train::StepRandom& random,
                      const RunConfig& config, bool correcting) {
    const sampling::MaskRule rule = ruleOf(config, "mask.rule");
    const bool withEos = rule == sampling::MaskRule::MaskPredict;
    const double rate = correcting ? config.real("self_correction.rate") : 0;
    const StreamId stream = random.stream("mask.count");
    MaskCounts counts;
    for (std::size_t r = 0; r < batch.targetLengths.size(); ++r) {
        const std::int32_t ordinary = std::max(batch.targetLengths[r] - 2, 0);
        const std::int32_t maskable = withEos ? ordinary + 1 : ordinary;
        const int masked =
            sampling::trainingMaskCount(maskable, tensor::uniformAt(stream, random.row + r), rule);
        counts.ordinary.push_back(ordinary);
        counts.masked.push_back(masked);
        counts.replaced.push_back(sampling::replacedCount(std::max(ordinary - masked, 0), rate));
    }
    return counts;
}

MaskDraw drawMasks(const train::DeviceBatch& batch, const train::StepRandom& random, const RunConfig& config,
                   bool correcting) {
    const bool withEos = ruleOf(config, "mask.rule") == sampling::MaskRule::MaskPredict;
    const Ranks maskRank(random.stream("mask.rank"), random.row, batch);
    std::optional<Ranks> replaceRank;
    if (correcting) replaceRank.emplace(random.stream("corr.rank"), random.row, batch);
    MaskDraw draw{countMasks(batch, random, config, correcting), {}, {}, {}};
    for (std::size_t r = 0; r < draw.ordinary.size(); ++r) {
        const std::int64_t first = static_cast<std::int64_t>(r) * batch.targetLength + 1;  // after BOS
        const std::int32_t maskable = draw.ordinary[r] + (withEos ? 1 : 0);
        const std::vector<int> masked = sampling::lowest(maskRank.of(r, maskable), draw.masked[r]);
        for (const int i : masked) draw.maskedAt.push_back(first + i);
        for (std::int32_t i = 0; i < draw.ordinary[r]; ++i) draw.ordinaryAt.push_back(first + i);
        if (draw.replaced[r] == 0) continue;
        std::vector<float> ranks = replaceRank->of(r, draw.ordinary[r]);
        for (const int i : masked)
            if (i < draw.ordinary[r])
                ranks[static_cast<std::size_t>(i)] = 2;  // above those of all revealed tokens
        for (const int i : sampling::lowest(ranks, draw.replaced[r])) draw.replacedAt.push_back(first + i);
    }
    return draw;
}

}  // namespace kurve::models::cmlm
