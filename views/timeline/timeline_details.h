#pragma once

#include <string>
#include <vector>

#include "views/imgui_host/series_rows.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// One slot's candidates through all steps as lines over their ranks; beside it, in the same rows, the
/// candidates at the playhead with their probabilities.
class RankFlowView {
public:
    /// The slot shown: the selected one, else the one that changed most often.
    [[nodiscard]] static int slotFor(const TimelineModel& model, int selected);
    void place(const TimelineFrame& frame, const Box& area, int slot);
    void drawStill(const TimelineFrame& frame, ImDrawList& list) const;
    void drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const;
    void forget() { model_ = nullptr; }

private:
    void drawLine(const TimelineFrame& frame, ImDrawList& list, const RankLine& line, ImU32 colour) const;
    void drawCandidates(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const;
    [[nodiscard]] float y(int rank) const;

    const TimelineModel* model_ = nullptr;
    int slot_ = -1;
    std::uint32_t last_ = 0;  ///< the slot's final token
    std::vector<RankLine> lines_;
    std::string caption_;
    Box area_, plot_, list_;
};

/// Mean confidence, entropy, changes and movement of every step, each as a small line with its value at the
/// playhead.
class StepStatisticsView {
public:
    void place(const TimelineFrame& frame, const Box& area);
    void drawStill(const TimelineFrame& frame, ImDrawList& list) const;
    void drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const;

private:
    [[nodiscard]] std::vector<SeriesRow> rows(const TimelineFrame& frame) const;
    Box area_;
    SeriesRows at_;
};

}  // namespace kurve::views
