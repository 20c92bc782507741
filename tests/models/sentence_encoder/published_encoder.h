#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/text/tokenizer.h"
#include "core/train/model_family.h"
#include "core/train/published_format.h"

namespace kurve::models::testing {

/// A small random BERT as it is published, and what an independent forward makes of it.
inline const std::filesystem::path kPublishedEncoder =
    KURVE_SOURCE_DIR "/tests/golden/published/sentence-encoder";

struct PublishedEncoderModel {
    train::PublishedModel published;
    RunConfig config;
    std::shared_ptr<const text::Tokenizer> tokenizer;
    std::unique_ptr<train::SequenceModel> model;
};
/// The folder as a model of the family sentence_encoder.
[[nodiscard]] Result<PublishedEncoderModel> openPublished(const std::filesystem::path& folder);

[[nodiscard]] nlohmann::json readJson(const std::filesystem::path& file);
/// Sentences [[id, …], …] as rows [n, width] i64, filled up with `padding`, and their lengths.
[[nodiscard]] std::pair<at::Tensor, std::vector<std::int32_t>> padded(const nlohmann::json& sentences,
                                                                      std::int64_t width,
                                                                      std::int64_t padding);

}  // namespace kurve::models::testing
