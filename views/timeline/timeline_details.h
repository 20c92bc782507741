#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/inspect/trace_comparison.h"
#include "views/imgui_host/series_rows.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// Ranks of one position's candidates over the steps as lines; beside it, in the same rows, the candidates at
/// the playhead with their probabilities.
class RankFlowView {
public:
    /// The position shown: the selected one, else the one that changed most often.
    [[nodiscard]] static int positionFor(const inspect::TimelineModel& model, int selected);
    void place(const TimelineFrame& frame, const Box& area, int position);
    void drawStill(const TimelineFrame& frame, ImDrawList& list) const;
    void drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const;
    void forget() { model_ = nullptr; }

private:
    void drawLine(const TimelineFrame& frame, ImDrawList& list, const inspect::RankLine& line,
                  ImU32 colour) const;
    void drawCandidates(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const;
    [[nodiscard]] float y(int rank) const;
    /// Whether the line has one of the shown ranks at a step.
    [[nodiscard]] bool hasRank(const inspect::RankLine& line, std::size_t step) const {
        return line.rank[step] >= 0 && line.rank[step] < ranks_;
    }

    const inspect::TimelineModel* model_ = nullptr;
    int position_ = -1;
    std::uint32_t last_ = 0;  ///< the position's final token
    std::vector<inspect::RankLine> lines_;
    std::string caption_;
    Box area_, plot_, list_;
    int ranks_ = 1;  ///< that fit the height
};

/// Mean confidence, entropy, changes and movement of every step, each as a small line with its value at the
/// playhead.
class StepStatisticsView {
public:
    /// B's numbers, dashed, at the linked steps; null = none. The pair must outlive the next call.
    void setBeside(const inspect::TraceComparison* pair);
    void place(const TimelineFrame& frame, const Box& area);
    void drawStill(const TimelineFrame& frame, ImDrawList& list) const;
    void drawMoving(const TimelineFrame& frame, ImDrawList& list, TimelineIntent& intent) const;

private:
    [[nodiscard]] std::vector<SeriesRow> rows(const TimelineFrame& frame) const;
    const inspect::StepStatistics* beside_ = nullptr;
    std::vector<int> partners_;  ///< B's steps, by those of A
    Box area_;
    SeriesRows at_;
};

}  // namespace kurve::views
