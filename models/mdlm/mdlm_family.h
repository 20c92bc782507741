#pragma once

#include <memory>

#include "core/train/model_family.h"
#include "models/common/token_map.h"

namespace kurve::models::mdlm {

/// Its initial values are those of the config's seed. `maybeMap`: of words to control points; errors: config
/// that does not fit, with `field` set.
[[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> createModel(
    const RunConfig& config, const train::ModelContext& context,
    std::unique_ptr<TokenMap> maybeMap = nullptr);

class MdlmFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
    [[nodiscard]] const train::PublishedFormat* maybePublishedFormat() const override;
};

}  // namespace kurve::models::mdlm
