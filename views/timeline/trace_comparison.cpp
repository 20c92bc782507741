#include "views/timeline/trace_comparison.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::views {

using trace::SlotState;

namespace {

std::string text(const trace::Trace& trace, const char* key) {
    const auto found = trace.meta.find(key);
    return found == trace.meta.end() ? std::string() : found->second;
}

}  // namespace

TraceComparison::TraceComparison(std::shared_ptr<const TimelineModel> a,
                                 std::shared_ptr<const TimelineModel> b, LinkBy by)
    : a_(std::move(a)), b_(std::move(b)), by_(by), slots_(std::max(a_->slots(), b_->slots())) {
    KURVE_CHECK(a_->steps() > 0 && b_->steps() > 0, "{} and {} steps", a_->steps(), b_->steps());
    const std::string hash = text(a_->trace(), "tokenizer_hash");
    sameIds_ = !hash.empty() && hash == text(b_->trace(), "tokenizer_hash");
    differs_.reserve(static_cast<std::size_t>(a_->steps()) * static_cast<std::size_t>(slots_));
    for (int step = 0; step < a_->steps(); ++step) {
        partner_.push_back(partnerStep(a_->trace(), step, b_->trace(), by));
        for (int slot = 0; slot < slots_; ++slot)
            differs_.push_back(compare(step, partner_.back(), slot) ? 1 : 0);
    }
}

bool TraceComparison::compare(int stepOfA, int stepOfB, int slot) const {
    const bool inA = slot < a_->slots() && a_->state(stepOfA, slot) != SlotState::Pad;
    const bool inB = slot < b_->slots() && b_->state(stepOfB, slot) != SlotState::Pad;
    if (!inA || !inB) return inA != inB;
    const std::uint32_t x = a_->token(stepOfA, slot), y = b_->token(stepOfB, slot);
    if (sameIds_) return x != y;
    const PieceText &p = a_->piece(x), &q = b_->piece(y);
    return p.text != q.text || p.wordStart != q.wordStart;
}

int TraceComparison::back(int stepOfB) const {
    int best = 0;
    for (int step = 1; step < a_->steps(); ++step)
        if (std::abs(partner(step) - stepOfB) < std::abs(partner(best) - stepOfB)) best = step;
    return best;
}

bool TraceComparison::differs(int stepOfA, int slot) const {
    return differs_[static_cast<std::size_t>(stepOfA) * static_cast<std::size_t>(slots_) +
                    static_cast<std::size_t>(slot)] != 0;
}

int TraceComparison::count(int stepOfA) const {
    const auto from = differs_.begin() + static_cast<std::ptrdiff_t>(stepOfA) * slots_;
    return static_cast<int>(std::count(from, from + slots_, 1));
}

int TraceComparison::firstSlot(int stepOfA) const {
    for (int slot = 0; slot < slots_; ++slot)
        if (differs(stepOfA, slot)) return slot;
    return -1;
}

int TraceComparison::firstStep() const {
    const auto found = std::find(differs_.begin(), differs_.end(), 1);
    return found == differs_.end() ? -1 : static_cast<int>((found - differs_.begin()) / slots_);
}

std::pair<QString, QString> namesApart(const trace::Trace& a, const trace::Trace& b) {
    QStringList left, right;
    const auto tell = [&](const char* key, const QString& form) {
        const std::string x = text(a, key), y = text(b, key);
        if (x == y) return;
        if (!x.empty()) left << form.arg(QString::fromStdString(x));
        if (!y.empty()) right << form.arg(QString::fromStdString(y));
    };
    const QString plain = QStringLiteral("%1");
    tell("branch_change", plain);
    tell("run", plain);
    tell("checkpoint_step", QObject::tr("trained %1 steps"));
    tell("seed", QObject::tr("seed %1"));
    if (a.steps != b.steps) {
        left << QObject::tr("%1 denoising steps").arg(a.steps);
        right << QObject::tr("%1 denoising steps").arg(b.steps);
    }
    tell("prompt", QStringLiteral("\"%1\""));
    const auto name = [](const QStringList& parts, const trace::Trace& trace) {
        if (!parts.isEmpty()) return parts.join(QStringLiteral(" · "));
        const std::string run = text(trace, "run");
        return run.empty() ? QObject::tr("this trace") : QString::fromStdString(run);
    };
    return {name(left, a), name(right, b)};
}

}  // namespace kurve::views
