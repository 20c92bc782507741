#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>

#include "app/engine/command.h"
#include "core/train/reranker.h"

namespace kurve::engine {

/// Resolves runs of the project to rerankers, each loaded at first use, with its best checkpoint: the score
/// is the mean log-probability of the candidate's tokens, EOS counted, under that run's own tokenizer
/// (difformer/generator.py, ppl-mbr). Errors of reranker(): run.missing, checkpoint.*, those of the data;
/// sample.scorer (the run's family gives no exact probabilities).
[[nodiscard]] std::shared_ptr<train::RunResolver> makeRunResolver(const CommonOptions& common,
                                                                  const std::filesystem::path& project,
                                                                  c10::Device device);

}  // namespace kurve::engine
