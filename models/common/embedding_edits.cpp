#include "models/common/embedding_edits.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "models/common/edited_logits.h"
#include "models/common/padding.h"

namespace kurve::models {
namespace {

using trace::Edit;
using trace::EditKind;

at::Tensor valuesOf(const Edit& edit, c10::Device device) {
    return toDevice(std::span<const float>(edit.values), device);
}

}  // namespace

Status EmbeddingEdits::check() const {
    const std::int64_t width = words_.embeddings.size(1);
    const std::int64_t points = candidate_.layout->tokenLengths()[static_cast<std::size_t>(candidate_.row)];
    const bool curve = !candidate_.layout->describe(candidate_.row).empty();
    for (const Edit& edit : edits_) {
        if (edit.point && !curve)
            return requestError("branch.point", "the model has no control points")
                .at("point")
                .fix("edit a position instead");
        if (edit.position >= (edit.point ? points : candidate_.words))
            return requestError(
                       edit.point ? "branch.point" : "branch.position",
                       fmt::format("no {} {}", edit.point ? "control point" : "position", edit.position))
                .at(edit.point ? "point" : "position")
                .fix(fmt::format("choose one from 0 to {}", (edit.point ? points : candidate_.words) - 1));
        if (edit.kind == EditKind::Latent && static_cast<std::int64_t>(edit.values.size()) != width)
            return requestError("branch.values",
                                fmt::format("{} values, but a latent has {}", edit.values.size(), width))
                .at("values");
    }
    return {};
}

at::Tensor EmbeddingEdits::latentOfToken(std::int64_t id) const {
    const std::vector<std::int64_t> ids{id};
    return words_.latents(toDevice(std::span<const std::int64_t>(ids), device()))[0];
}

// The batch's other rows are zero: maps between words and tokens are linear.
at::Tensor EmbeddingEdits::asBatch(const at::Tensor& row, const at::Tensor& like) const {
    at::Tensor batch = at::zeros({like.size(0), row.size(0), row.size(1)}, row.options());
    batch[candidate_.row].copy_(row);
    return batch;
}

void EmbeddingEdits::editInput(int step, const FreshNoise& noise, const Estimate& last, Noisy& noisy) const {
    for (const Edit& edit : edits_) {
        if (edit.kind != EditKind::Noise || !edit.actsAt(step)) continue;
        const at::Tensor latent = noisy.words[candidate_.row][edit.position];
        const tensor::RowStream stream{noise.id, static_cast<std::uint64_t>(edit.position)};
        latent.copy_(tensor::normalRows({1, latent.size(0)}, stream, device())[0] * noise.factor);
        if (!noisy.previous.defined()) continue;
        // The previous estimate may be words or control points; from either the position's own word is
        // subtracted.
        const bool words = noisy.previous.is_same(last.words);
        const at::Tensor estimate =
            words ? noisy.previous : candidate_.layout->wordsFromTokens(noisy.previous);
        const at::Tensor removed = at::zeros_like(estimate);
        removed[candidate_.row][edit.position].copy_(estimate[candidate_.row][edit.position]);
        noisy.previous.sub_(words ? removed : candidate_.layout->tokensFromWords(removed));
    }
}

bool EmbeddingEdits::actsOnEstimate(int step) const {
    return std::any_of(edits_.begin(), edits_.end(),
                       [&](const Edit& edit) { return edit.kind != EditKind::Noise && edit.actsAt(step); });
}

void EmbeddingEdits::movePoints(int step, Estimate& estimate) const {
    for (const Edit& edit : edits_) {
        if (!edit.point || !edit.actsAt(step)) continue;
        const at::Tensor point = estimate.tokens[candidate_.row][edit.position];
        const at::Tensor target = valuesOf(edit, device());
        at::Tensor moved = at::zeros_like(estimate.tokens[candidate_.row]);
        moved[edit.position].copy_(target - point);
        estimate.words[candidate_.row].add_(
            candidate_.layout->wordsFromTokens(asBatch(moved, estimate.words))[candidate_.row]);
        point.copy_(target);
    }
}

void EmbeddingEdits::replaceWords(int step, const at::Tensor& words) const {
    for (const Edit& edit : edits_) {
        if (edit.point || edit.kind == EditKind::Noise || !edit.actsAt(step)) continue;
        const at::Tensor latent = words[edit.position];
        if (edit.kind == EditKind::Latent) {
            latent.copy_(valuesOf(edit, device()));
        } else if (edit.kind != EditKind::Ban) {
            latent.copy_(latentOfToken(edit.token));
        } else {
            const at::Tensor logits = words_.logits(words);
            if (logits[edit.position].argmax().item<std::int64_t>() != edit.token) continue;
            applyEdits(logits, edits_, step);
            latent.copy_(latentOfToken(logits[edit.position].argmax().item<std::int64_t>()));
        }
    }
}

at::Tensor EmbeddingEdits::editEstimate(int step, const schedule::ReverseStep& reverse,
                                        Estimate& estimate) const {
    if (!actsOnEstimate(step)) return {};
    // In place: the next self-conditioning is one of the two and changes with it.
    const at::Tensor words = estimate.words[candidate_.row], before = words.clone();
    movePoints(step, estimate);
    const at::Tensor moved = words.clone();
    replaceWords(step, words);
    estimate.tokens.add_(candidate_.layout->tokensFromWords(asBatch(words - moved, estimate.words)));
    return (words - before) * std::sqrt(reverse.alphaBar);
}

}  // namespace kurve::models
