#include "models/common/size_checks.h"

#include <fmt/format.h>

namespace kurve::models {

Status checkSizes(const RunConfig& config, const train::TextShape& shape) {
    const std::int64_t hidden = config.integer("model.hidden"), heads = config.integer("model.heads"),
                       positions = config.integer("model.max_positions");
    if (hidden % heads != 0)
        return requestError("model.heads", fmt::format("{} heads do not divide the width {}", heads, hidden))
            .at("model.heads")
            .fix("choose a divisor of model.hidden");
    if (shape.maxLength <= positions) return {};
    return requestError("model.max_positions",
                        fmt::format("the data has sentences of {} tokens, the position table holds {}",
                                    shape.maxLength, positions))
        .at("model.max_positions")
        .fix(fmt::format("set model.max_positions to {} or data.max_length lower", shape.maxLength));
}

Status checkRotaryHeads(const RunConfig& config) {
    const std::int64_t hidden = config.integer("model.hidden"), heads = config.integer("model.heads");
    if (hidden % (2 * heads) == 0) return {};
    return requestError("model.heads",
                        fmt::format("{} heads do not divide {} into even widths", heads, hidden))
        .at("model.heads")
        .fix("choose heads so that model.hidden / model.heads is even");
}

}  // namespace kurve::models
