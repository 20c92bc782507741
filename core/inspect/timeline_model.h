#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/inspect/token_text.h"
#include "core/trace/marks.h"
#include "core/trace/trace.h"

namespace kurve::inspect {

/// The number that map and canvas show.
enum class Measure : std::uint8_t { Confidence, Margin, Entropy, Norm };
inline constexpr int kMeasures = 4;
struct MeasureText {
    const char* name;
    const char* doc;
};
[[nodiscard]] MeasureText measureText(Measure measure);

/// One number per step. NaN where unknown.
struct StepStatistics {
    std::vector<float> confidence, entropy;  ///< means over the positions that hold text
    std::vector<float> edits;                ///< positions whose token changed
    std::vector<float> masked;               ///< positions that are masked for the next step
    std::vector<float> distance;    ///< RMS over positions of |estimate - estimate before|; NaN at step 0
    std::vector<float> bleu, chrf;  ///< of the step's text against the reference; empty without one
};

/// A step and a position.
struct TraceCell {
    int step = 0, position = 0;
    friend bool operator==(const TraceCell&, const TraceCell&) = default;
};

/// Ranks of one candidate of a position over the steps.
struct RankLine {
    std::uint32_t id = 0;
    std::vector<std::int8_t> rank;   ///< [S] 0 = best …, -1 = not among the recorded candidates
    std::vector<float> probability;  ///< [S], 0 where not recorded
};

/// Everything the timeline shows of a trace, computed once when the trace is set, without a window.
class TimelineModel {
public:
    explicit TimelineModel(std::shared_ptr<const trace::Trace> trace);

    [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
    [[nodiscard]] int steps() const { return trace_->steps; }
    [[nodiscard]] int positions() const { return trace_->positions; }
    /// All positions have an estimate from the first step on: the first ones are no change.
    [[nodiscard]] bool continuous() const { return trace_->estimatesAll(); }
    /// Name of the state of an empty position: "masked", or "not written" where positions are generated
    /// in order.
    [[nodiscard]] const char* emptyName() const { return empty_; }

    /// NaN where the trace does not hold it.
    [[nodiscard]] float value(Measure measure, int step, int position) const;
    /// Whether the trace holds it; Norm needs latents.
    [[nodiscard]] bool has(Measure measure) const { return !valuesOf(measure).empty(); }
    /// Upper end of the measure's scale: 1 for confidence, else the largest value of the trace.
    [[nodiscard]] float top(Measure measure) const { return tops_[static_cast<std::size_t>(measure)]; }
    [[nodiscard]] trace::TokenState state(int step, int position) const {
        return trace_->stateAt(step, position);
    }
    [[nodiscard]] std::uint32_t token(int step, int position) const {
        return trace_->tokenAt(step, position);
    }
    /// The position is empty at that step. A remasked position with a token was found masked and filled by
    /// the step.
    [[nodiscard]] bool holdsMask(int step, int position) const;
    /// Further marks of the trace: remasked next, committed block.
    [[nodiscard]] const trace::TokenMarks& marks() const { return marks_; }
    /// The state occurs (the first estimates of a continuous model do not count as new).
    [[nodiscard]] bool occurs(trace::TokenState state) const {
        return occurs_[static_cast<std::size_t>(state)];
    }
    [[nodiscard]] const TokenText& textOf(std::uint32_t id) const;
    [[nodiscard]] const StepStatistics& statistics() const { return statistics_; }

    /// The next (backward: previous) change of the token of `position`; with position = -1 of any position,
    /// in the order step, position, strictly after (before) `step`. Nothing if there is none.
    [[nodiscard]] std::optional<TraceCell> findEdit(int step, int position, bool forward) const;
    [[nodiscard]] int editCount(int position) const { return edits_[static_cast<std::size_t>(position)]; }
    /// The step from which on the position has its final token.
    [[nodiscard]] int settledAt(int position) const { return settled_[static_cast<std::size_t>(position)]; }
    /// As many candidates of a position as the trace has per step, the most probable over all steps first.
    [[nodiscard]] std::vector<RankLine> rankFlow(int position) const;
    /// The text at a step: tokens joined, special tokens left out.
    [[nodiscard]] std::string textAt(int step) const;

private:
    [[nodiscard]] bool isEdit(int step, int position) const;
    [[nodiscard]] const std::vector<float>& valuesOf(Measure measure) const;
    void computeStatistics();
    void computeDistances();
    void computeNorms();
    void scoreSteps();

    std::shared_ptr<const trace::Trace> trace_;
    trace::TokenMarks marks_;
    std::array<bool, static_cast<std::size_t>(trace::TokenState::Pad) + 1> occurs_{};
    std::unordered_map<std::uint32_t, TokenText> texts_;
    StepStatistics statistics_;
    std::vector<int> edits_, settled_;
    std::vector<float> norms_;  ///< [S, N] of the estimates; empty without latents
    float tops_[kMeasures] = {1, 1, 1, 1};
    const char* empty_ = "masked";
};

}  // namespace kurve::inspect
