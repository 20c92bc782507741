#include "models/common/edited_logits.h"

#include <torch/torch.h>

namespace kurve::models {
namespace {

constexpr double kNever = -1e9;  // finite: 0 times its probability is 0

}  // namespace

void forceToken(const at::Tensor& logits, std::int64_t token) {
    logits.fill_(kNever);
    logits[token].fill_(0.0);
}

void applyEdits(const at::Tensor& logits, std::span<const trace::Edit> edits, int step) {
    for (const trace::Edit& edit : edits) {
        if (!edit.actsAt(step) || edit.token < 0) continue;
        if (edit.kind == trace::EditKind::Ban)
            logits[edit.position][edit.token].fill_(kNever);
        else
            forceToken(logits[edit.position], edit.token);
    }
}

}  // namespace kurve::models
