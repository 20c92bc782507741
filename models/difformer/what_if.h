#pragma once

#include <span>
#include <vector>

#include "core/schedule/noise_schedule.h"
#include "core/trace/edit.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// What a hand does to one candidate of a running generation. An edit of the estimate z_0-hat moves the state
/// z_t by sqrt(alphaBar) times as much: another signal under the same noise, so that nothing of the old token
/// goes on in the state. Random numbers of the generation are not touched; fresh noise has a stream of its
/// own.
class WhatIf {
public:
    /// Where it works: `row` of the batch, its map and its words.
    struct Place {
        std::int64_t row = 0, words = 0;
        const TokenLayout* layout = nullptr;
    };
    WhatIf(std::span<const trace::Edit> edits, Place place, DifformerNetImpl& net)
        : edits_(edits), place_(place), net_(net) {}

    /// Errors: branch.slot, branch.point, branch.values.
    [[nodiscard]] Status check() const;
    struct FreshNoise {
        StreamId id;
        double factor = 1;
    };
    /// Fresh noise into the network's input; what `last` had guessed there is taken back as well.
    void editInput(int step, const FreshNoise& noise, const Estimate& last, Noisy& noisy) const;
    /// The estimate after the network. Returns what has to be added to `noisy.words` after recording it
    /// [L, d]; undefined for nothing.
    [[nodiscard]] at::Tensor editEstimate(int step, const schedule::ReverseStep& reverse,
                                          Estimate& estimate) const;

private:
    [[nodiscard]] bool actsOnEstimate(int step) const;
    void movePoints(int step, Estimate& estimate) const;
    void replaceWords(int step, const at::Tensor& words) const;
    [[nodiscard]] at::Tensor latentOfToken(std::int64_t id) const;
    [[nodiscard]] at::Tensor asBatch(const at::Tensor& row, const at::Tensor& like) const;

    std::span<const trace::Edit> edits_;
    Place place_;
    DifformerNetImpl& net_;
};

}  // namespace kurve::models::difformer
