#include "core/schedule/detail/isotonic.h"

#include "core/base/check.h"

namespace kurve::schedule::detail {

std::vector<double> nearestNonIncreasing(const std::vector<double>& values,
                                         const std::vector<double>& weights) {
    KURVE_CHECK(values.size() == weights.size(), "{} values, {} weights", values.size(), weights.size());
    struct Block {
        double mean, weight;
        std::size_t count;
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < values.size(); ++i) {
        blocks.push_back({values[i], weights[i], 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean < blocks.back().mean) {
            const Block last = blocks.back();
            blocks.pop_back();
            Block& before = blocks.back();
            const double weight = before.weight + last.weight;
            before.mean = (before.mean * before.weight + last.mean * last.weight) / weight;
            before.weight = weight;
            before.count += last.count;
        }
    }
    std::vector<double> fitted;
    for (const Block& block : blocks) fitted.insert(fitted.end(), block.count, block.mean);
    return fitted;
}

}  // namespace kurve::schedule::detail
