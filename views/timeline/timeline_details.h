#pragma once

#include <string>
#include <vector>

#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// One slot's candidates through all steps as lines over their ranks; beside it, in the same rows, the
/// candidates at the playhead with their probabilities.
class RankFlowView {
public:
    void draw(const TimelineFrame& frame, const Box& area, TimelineIntent& intent);
    void forget() { model_ = nullptr; }

private:
    void prepare(const TimelineFrame& frame, int slot);
    void drawLines(const TimelineFrame& frame, ImDrawList& list, const Box& box) const;
    void drawCandidates(const TimelineFrame& frame, ImDrawList& list, const Box& box) const;
    const TimelineModel* model_ = nullptr;
    int slot_ = -1;
    std::vector<RankLine> lines_;
    std::string caption_;
};

/// Mean confidence, entropy, changes and movement of every step, each as a small line with its value at the
/// playhead.
void drawStepStatistics(const TimelineFrame& frame, const Box& area, TimelineIntent& intent);

}  // namespace kurve::views
