#include "models/difformer/what_if.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "models/common/edited_logits.h"
#include "models/common/padding.h"

namespace kurve::models::difformer {
namespace {

using trace::Edit;
using trace::EditKind;

at::Tensor valuesOf(const Edit& edit, c10::Device device) {
    return toDevice(std::span<const float>(edit.values), device);
}

}  // namespace

Status WhatIf::check() const {
    const std::int64_t width = net_.embedding->weight.size(1);
    const std::int64_t points = place_.layout->tokenLengths()[static_cast<std::size_t>(place_.row)];
    const bool curve = !place_.layout->describe(place_.row).empty();
    for (const Edit& edit : edits_) {
        if (edit.point && !curve)
            return requestError("branch.point", "this model has no control points")
                .at("point")
                .fix("move a slot instead");
        if (edit.slot >= (edit.point ? points : place_.words))
            return requestError(
                       edit.point ? "branch.point" : "branch.slot",
                       fmt::format("there is no {} {}", edit.point ? "control point" : "slot", edit.slot))
                .at(edit.point ? "point" : "slot")
                .fix(fmt::format("they go from 0 to {}", (edit.point ? points : place_.words) - 1));
        if (edit.kind == EditKind::Latent && static_cast<std::int64_t>(edit.values.size()) != width)
            return requestError("branch.values", fmt::format("{} values, this model's latents have {}",
                                                             edit.values.size(), width))
                .at("values");
    }
    return {};
}

at::Tensor WhatIf::latentOfToken(std::int64_t id) const {
    const std::vector<std::int64_t> ids{id};
    return net_.latentOf(net_.embedTarget(toDevice(std::span<const std::int64_t>(ids), net_.device())))[0];
}

// The batch's other rows are zero: maps between words and tokens are linear.
at::Tensor WhatIf::asBatch(const at::Tensor& row, const at::Tensor& like) const {
    at::Tensor batch = at::zeros({like.size(0), row.size(0), row.size(1)}, row.options());
    batch[place_.row].copy_(row);
    return batch;
}

void WhatIf::editInput(int step, const FreshNoise& noise, const Estimate& last, Noisy& noisy) const {
    for (const Edit& edit : edits_) {
        if (edit.kind != EditKind::Noise || !edit.actsAt(step)) continue;
        const at::Tensor slot = noisy.words[place_.row][edit.slot];
        const tensor::RowStream stream{noise.id, static_cast<std::uint64_t>(edit.slot)};
        slot.copy_(tensor::normalRows({1, slot.size(0)}, stream, net_.device())[0] * noise.factor);
        if (!noisy.previous.defined()) continue;
        // The guess before may be words or control points; from either the slot's own word is subtracted.
        const bool words = noisy.previous.is_same(last.words);
        const at::Tensor guess = words ? noisy.previous : place_.layout->wordsFromTokens(noisy.previous);
        const at::Tensor taken = at::zeros_like(guess);
        taken[place_.row][edit.slot].copy_(guess[place_.row][edit.slot]);
        noisy.previous.sub_(words ? taken : place_.layout->tokensFromWords(taken));
    }
}

bool WhatIf::actsOnEstimate(int step) const {
    return std::any_of(edits_.begin(), edits_.end(),
                       [&](const Edit& edit) { return edit.kind != EditKind::Noise && edit.actsAt(step); });
}

void WhatIf::movePoints(int step, Estimate& estimate) const {
    for (const Edit& edit : edits_) {
        if (!edit.point || !edit.actsAt(step)) continue;
        const at::Tensor point = estimate.tokens[place_.row][edit.slot];
        const at::Tensor wanted = valuesOf(edit, net_.device());
        at::Tensor moved = at::zeros_like(estimate.tokens[place_.row]);
        moved[edit.slot].copy_(wanted - point);
        estimate.words[place_.row].add_(
            place_.layout->wordsFromTokens(asBatch(moved, estimate.words))[place_.row]);
        point.copy_(wanted);
    }
}

void WhatIf::replaceWords(int step, const at::Tensor& words) const {
    for (const Edit& edit : edits_) {
        if (edit.point || edit.kind == EditKind::Noise || !edit.actsAt(step)) continue;
        const at::Tensor slot = words[edit.slot];
        if (edit.kind == EditKind::Latent) {
            slot.copy_(valuesOf(edit, net_.device()));
        } else if (edit.kind != EditKind::Ban) {
            slot.copy_(latentOfToken(edit.token));
        } else {
            const at::Tensor logits = at::matmul(words, net_.embedding->weight.t());
            if (logits[edit.slot].argmax().item<std::int64_t>() != edit.token) continue;
            restrictLogits(logits, edits_, step);
            slot.copy_(latentOfToken(logits[edit.slot].argmax().item<std::int64_t>()));
        }
    }
}

at::Tensor WhatIf::editEstimate(int step, const schedule::ReverseStep& reverse, Estimate& estimate) const {
    if (!actsOnEstimate(step)) return {};
    // In place: what is carried to the next step is one of the two and changes with it.
    const at::Tensor words = estimate.words[place_.row], before = words.clone();
    movePoints(step, estimate);
    const at::Tensor bent = words.clone();
    replaceWords(step, words);
    estimate.tokens.add_(place_.layout->tokensFromWords(asBatch(words - bent, estimate.words)));
    return (words - before) * std::sqrt(reverse.alphaBar);
}

}  // namespace kurve::models::difformer
