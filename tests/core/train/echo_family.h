#pragma once

#include <memory>
#include <string>

#include "core/train/model_family.h"

namespace kurve::train::testing {

/// The smallest family that uses everything the trainer offers: predicts the target's token from the source's
/// token at the same position, with noise from a named stream. Learns to copy in a few steps. With
/// model.base it reads the frozen hidden states of another run of it, too.
class EchoFamily : public ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] Result<std::unique_ptr<SequenceModel>> create(const RunConfig& config,
                                                                const ModelContext& context) const override;
};

/// A config of it from "key = value" overrides, e.g. {{"train.lr", "0.01"}}.
[[nodiscard]] RunConfig echoConfig(std::vector<Override> overrides = {});
[[nodiscard]] SchemaLookup echoSchemas();
/// A split of `pairs` random copies of 3 to 9 tokens.
[[nodiscard]] std::shared_ptr<const text::Split> echoSplit(int pairs, std::uint64_t seed = 7);
inline constexpr std::int64_t kEchoVocabulary = 24;
[[nodiscard]] TextShape echoShape();

}  // namespace kurve::train::testing
