#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/train/device_batch.h"
#include "models/families.h"

namespace kurve::models::testing {

/// A toy task for every family: 8 sentences over 20 words, target = source reversed, of
/// different lengths.
[[nodiscard]] std::vector<std::vector<std::int32_t>> toySources();
[[nodiscard]] text::Batch toyBatch(int rows = 8, int extraPadding = 0);
[[nodiscard]] train::TextShape toyShape(bool joint = true);

/// The same task as the family takes it: of one of texts without a source the sources are the texts, and what
/// is known of them is their first token, which no two have in common.
[[nodiscard]] bool takesPairs(const std::string& family);
[[nodiscard]] bool takesDocuments(const std::string& family);
/// It gives texts back, as an autoencoder does: of the same task the sources are both.
[[nodiscard]] bool rewritesTexts(const std::string& family);
[[nodiscard]] text::Batch batchFor(const std::string& family);
[[nodiscard]] train::TextShape shapeFor(const std::string& family, bool joint = true);
/// With the toy autoencoder, for a family that is built on one.
[[nodiscard]] train::ModelContext contextFor(const std::string& family, c10::Device device,
                                             bool joint = true);
[[nodiscard]] train::GenerateRequest requestFor(const std::string& family);
/// What a trained model answers: ids without specials.
[[nodiscard]] std::vector<std::vector<std::int32_t>> answersFor(const std::string& family);

/// A small config of the family: preset tiny, 32 wide, T = 50 where it has such fields, and `settings` on
/// top.
[[nodiscard]] RunConfig toyConfig(const std::string& family, const std::vector<Override>& settings = {});
/// Those of the settings that the family has.
[[nodiscard]] std::vector<Override> known(const std::string& family, std::vector<Override> settings);
/// Those that train.
[[nodiscard]] std::vector<std::string> familyIds();
/// Those that need no other run.
[[nodiscard]] std::vector<std::string> familiesAlone();
[[nodiscard]] std::unique_ptr<train::SequenceModel> toyModel(const RunConfig& config, bool joint = true);

}  // namespace kurve::models::testing
