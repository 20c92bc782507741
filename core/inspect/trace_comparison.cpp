#include "core/inspect/trace_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/text.h"

namespace kurve::inspect {

using trace::TokenState;

TraceComparison::TraceComparison(std::shared_ptr<const TimelineModel> a,
                                 std::shared_ptr<const TimelineModel> b, LinkBy by)
    : a_(std::move(a)), b_(std::move(b)), by_(by), positions_(std::max(a_->positions(), b_->positions())) {
    KURVE_CHECK(a_->steps() > 0 && b_->steps() > 0, "{} and {} steps", a_->steps(), b_->steps());
    const std::string hash = a_->trace().metaText("tokenizer_hash");
    sameIds_ = !hash.empty() && hash == b_->trace().metaText("tokenizer_hash");
    differs_.reserve(static_cast<std::size_t>(a_->steps()) * static_cast<std::size_t>(positions_));
    for (int step = 0; step < a_->steps(); ++step) {
        partner_.push_back(partnerStep(a_->trace(), step, b_->trace(), by));
        for (int position = 0; position < positions_; ++position)
            differs_.push_back(compare(step, partner_.back(), position) ? 1 : 0);
    }
}

bool TraceComparison::compare(int stepOfA, int stepOfB, int position) const {
    const bool inA = position < a_->positions() && a_->state(stepOfA, position) != TokenState::Pad;
    const bool inB = position < b_->positions() && b_->state(stepOfB, position) != TokenState::Pad;
    if (!inA || !inB) return inA != inB;
    const std::uint32_t x = a_->token(stepOfA, position), y = b_->token(stepOfB, position);
    if (sameIds_) return x != y;
    const TokenText &p = a_->textOf(x), &q = b_->textOf(y);
    return p.text != q.text || p.wordStart != q.wordStart;
}

int TraceComparison::back(int stepOfB) const {
    int best = 0;
    for (int step = 1; step < a_->steps(); ++step)
        if (std::abs(partner(step) - stepOfB) < std::abs(partner(best) - stepOfB)) best = step;
    return best;
}

bool TraceComparison::differs(int stepOfA, int position) const {
    return differs_[static_cast<std::size_t>(stepOfA) * static_cast<std::size_t>(positions_) +
                    static_cast<std::size_t>(position)] != 0;
}

int TraceComparison::count(int stepOfA) const {
    const auto from = differs_.begin() + static_cast<std::ptrdiff_t>(stepOfA) * positions_;
    return static_cast<int>(std::count(from, from + positions_, 1));
}

int TraceComparison::firstPosition(int stepOfA) const {
    for (int position = 0; position < positions_; ++position)
        if (differs(stepOfA, position)) return position;
    return -1;
}

int TraceComparison::firstStep() const {
    const auto found = std::find(differs_.begin(), differs_.end(), 1);
    return found == differs_.end() ? -1 : static_cast<int>((found - differs_.begin()) / positions_);
}

std::pair<std::string, std::string> distinguishingNames(const trace::Trace& a, const trace::Trace& b) {
    std::vector<std::string> left, right;
    const auto add = [&](const char* key, const std::string& before, const char* after = "") {
        const std::string x = a.metaText(key), y = b.metaText(key);
        if (x == y) return;
        if (!x.empty()) left.push_back(before + x + after);
        if (!y.empty()) right.push_back(before + y + after);
    };
    add("branch_change", "");
    add("run", "");
    add("checkpoint_step", "training step ");
    add("seed", "seed ");
    if (a.steps != b.steps) {
        left.push_back(fmt::format("{} denoising steps", a.steps));
        right.push_back(fmt::format("{} denoising steps", b.steps));
    }
    add("prompt", "\"", "\"");
    const auto name = [](const std::vector<std::string>& parts, const trace::Trace& trace) {
        if (!parts.empty()) return join(parts, " · ");
        const std::string run = trace.metaText("run");
        return run.empty() ? "this trace" : run;
    };
    return {name(left, a), name(right, b)};
}

}  // namespace kurve::inspect
