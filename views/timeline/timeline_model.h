#pragma once

#include <QString>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trace/marks.h"
#include "core/trace/trace.h"
#include "views/imgui_host/piece_text.h"

namespace kurve::views {

/// Which number the map and the canvas show.
enum class Measure : std::uint8_t { Confidence, Margin, Entropy, Norm };
inline constexpr int kMeasures = 4;
struct MeasureText {
    const char* name;
    const char* doc;
};
[[nodiscard]] MeasureText measureText(Measure measure);

/// One number per step. NaN where a trace cannot say.
struct StepStatistics {
    std::vector<float> confidence, entropy;  ///< means over the slots that hold text
    std::vector<float> edits;                ///< slots whose token changed
    std::vector<float> masked;               ///< slots that the next step reads as the mask
    std::vector<float> distance;    ///< RMS over slots of |estimate - estimate before|; NaN at step 0
    std::vector<float> bleu, chrf;  ///< of the step's text against the reference; empty without one
};

/// A change of a slot's token: where the E key goes.
struct Edit {
    int step = 0, slot = 0;
    friend bool operator==(const Edit&, const Edit&) = default;
};

/// One candidate's way through the steps in a slot.
struct RankLine {
    std::uint32_t id = 0;
    std::vector<std::int8_t> rank;   ///< [S] 0 = best … 7, -1 = not among the recorded candidates
    std::vector<float> probability;  ///< [S], 0 where not recorded
};

/// Everything the timeline shows of a trace, computed once when the trace is set, without a window.
class TimelineModel {
public:
    explicit TimelineModel(std::shared_ptr<const trace::Trace> trace);

    [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
    [[nodiscard]] int steps() const { return trace_->steps; }
    [[nodiscard]] int slots() const { return trace_->slots; }
    [[nodiscard]] bool continuous() const { return continuous_; }
    /// What a slot without a word is called: "masked", or "not yet written" where words come one by one.
    [[nodiscard]] const char* emptyName() const { return empty_; }

    /// NaN where the trace does not hold it.
    [[nodiscard]] float value(Measure measure, int step, int slot) const;
    /// False for Norm of a trace without latents.
    [[nodiscard]] bool measures(Measure measure) const { return measure != Measure::Norm || !norms_.empty(); }
    /// Upper end of the measure's scale: 1 for confidence, else the largest value of the trace.
    [[nodiscard]] float top(Measure measure) const { return tops_[static_cast<std::size_t>(measure)]; }
    [[nodiscard]] trace::SlotState state(int step, int slot) const {
        return static_cast<trace::SlotState>(trace_->state[trace_->cell(step, slot)]);
    }
    [[nodiscard]] std::uint32_t token(int step, int slot) const {
        return trace_->tokens[trace_->cell(step, slot)];
    }
    /// The slot is empty at that step. A masked slot that shows a token is one that a pass found masked and
    /// filled again.
    [[nodiscard]] bool holdsMask(int step, int slot) const;
    /// What the trace declares beside the states: masked again next, committed block.
    [[nodiscard]] const trace::SlotMarks& marks() const { return marks_; }
    /// The state occurs in a slot (a continuous model's first estimates do not count as new).
    [[nodiscard]] bool occurs(trace::SlotState state) const {
        return occurs_[static_cast<std::size_t>(state)];
    }
    [[nodiscard]] const PieceText& piece(std::uint32_t id) const;
    [[nodiscard]] const StepStatistics& statistics() const { return statistics_; }

    /// The next (or, backward, previous) step at which the token of `slot` changes; with slot = -1 any
    /// slot's, in the order step, slot, strictly after (before) `step`. Nothing if there is none.
    [[nodiscard]] std::optional<Edit> findEdit(int step, int slot, bool forward) const;
    [[nodiscard]] int editCount(int slot) const { return edits_[static_cast<std::size_t>(slot)]; }
    /// The step from which the slot's token stays what it is at the end.
    [[nodiscard]] int settledAt(int slot) const { return settled_[static_cast<std::size_t>(slot)]; }
    /// Up to 8 candidates of a slot, the most probable over all steps first.
    [[nodiscard]] std::vector<RankLine> rankFlow(int slot) const;
    /// The text at a step as it reads: pieces joined, specials left out.
    [[nodiscard]] QString textAt(int step) const;

private:
    [[nodiscard]] bool isEdit(int step, int slot) const;
    void countStatistics();
    void measureDistance();
    void measureNorms();
    void scoreSteps();

    std::shared_ptr<const trace::Trace> trace_;
    trace::SlotMarks marks_;
    std::array<bool, static_cast<std::size_t>(trace::SlotState::Pad) + 1> occurs_{};
    std::unordered_map<std::uint32_t, PieceText> pieces_;
    StepStatistics statistics_;
    std::vector<int> edits_, settled_;
    std::vector<float> norms_;  ///< [S, N] of the estimates; empty without latents
    float tops_[kMeasures] = {1, 1, 1, 1};
    bool continuous_ = true;
    const char* empty_ = "masked";
};

}  // namespace kurve::views
