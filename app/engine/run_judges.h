#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>

#include "app/engine/command.h"
#include "core/train/candidate_judge.h"

namespace kurve::engine {

/// Judges that are runs of the project, each loaded when it is first asked for, with its best checkpoint: the
/// score is the mean log-probability of the candidate's tokens, EOS counted, under that run's own tokenizer
/// (difformer/generator.py, ppl-mbr). Errors of judge(): run.missing, checkpoint.*, those of the data;
/// sample.ppl_run (the run's family gives no exact probabilities).
[[nodiscard]] std::shared_ptr<train::JudgeSource> makeRunJudges(const CommonOptions& common,
                                                                const std::filesystem::path& project,
                                                                c10::Device device);

}  // namespace kurve::engine
