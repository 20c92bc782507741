// Which step of a training was not finite, and where.
#include "core/base/check.h"
#include "core/train/rank_commands.h"
#include "core/train/session_link.h"
#include "core/train/trainer.h"

namespace kurve::train {

constexpr std::size_t kMaxStoredSteps = 64;

void Trainer::storeBatches(const std::vector<text::Batch>& batches) {
    KURVE_CHECK(recent_.size() < kMaxStoredSteps, "nonFinite() was not called for {} steps", kMaxStoredSteps);
    recent_.emplace_back(steps_, batches);
}

std::optional<Trainer::NonFinite> Trainer::nonFinite() {
    const bool failed = failed_.item<float>() != 0;
    if (!failed) {
        recent_.clear();
        return std::nullopt;
    }
    const std::int64_t step = failedStep_.item<std::int64_t>();
    for (const auto& [index, batches] : recent_)
        if (index + 1 == step) return NonFinite{step, nameOfOffending(batches, index)};
    return NonFinite{step, "loss"};
}

void Trainer::clearNonFinite() {
    if (leads() && !maybeGroup_->broken())
        sendCommand(*maybeGroup_, {.kind = RankCommand::Kind::ClearNonFinite});
    setSteps(failedStep_.item<std::int64_t>() - 1);
    failed_.zero_();
    recent_.clear();
}

// The step is left out with or without its name.
std::string Trainer::nameOfOffending(const std::vector<text::Batch>& batches, std::int64_t stepIndex) {
    const std::int64_t now = steps_;
    std::string name;
    try {
        name = offendingTensor(batches, stepIndex);
    } catch (const std::exception& error) {
        name = fmt::format("not known in which tensor ({})", errorOf(error).text());
    }
    steps_ = now;
    return name;
}

// The weights have not moved since and every draw is named: the step can be computed again, all of it here,
// whatever ranks there are.
std::string Trainer::offendingTensor(const std::vector<text::Batch>& batches, std::int64_t stepIndex) {
    steps_ = stepIndex;
    std::vector<StepSums> results(models_.size());
    const auto parts = partsOf(batches);
    pool_.run([&](int r) {
        const auto replica = static_cast<std::size_t>(r);
        computeReplica(r, parts, {replica, models_.size()}, results[replica]);
    });
    for (const auto& result : results)
        for (const auto& [name, value] : result.parts)
            if (!at::isfinite(value).all().item<bool>()) return name;
    for (const auto& result : results)
        if (result.loss.defined() && !at::isfinite(result.loss).all().item<bool>()) return "loss";
    for (const auto& parameters : parameters_)
        if (auto name = parameters.firstNonFiniteGradient()) return "gradient of " + *name;
    return "norm of the gradient";
}

}  // namespace kurve::train
