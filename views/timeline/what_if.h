#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/trace/edit.h"

namespace kurve::views {

/// The step at which a trace is first shown: the finished text, of a branch the step where it leaves its
/// parent.
[[nodiscard]] int openingStep(const trace::Trace& trace);

/// What a hand wants to change in the shown trace, and what it changed to make it. No window.
class WhatIf {
public:
    /// Drops what waits: it was meant for another trace.
    void setTrace(std::shared_ptr<const trace::Trace> trace);
    /// The trace that the shown one is a branch of; null for none. One of another size is none.
    void setParent(std::shared_ptr<const trace::Trace> parent);

    /// Waits from now on. What it contradicts goes: an edit of the same slot at the same step, unless one of
    /// the two only bans.
    void add(trace::Edit edit);
    /// Drops what waits for a slot.
    void removeSlot(int slot);
    void clear() { pending_.clear(); }
    [[nodiscard]] const std::vector<trace::Edit>& pending() const { return pending_; }
    /// Where the branch of what waits begins; -1 if nothing waits.
    [[nodiscard]] int firstStep() const;

    [[nodiscard]] const std::shared_ptr<const trace::Trace>& trace() const { return trace_; }
    /// The edits that made the shown trace, its parents' as well; empty if it is no branch.
    [[nodiscard]] const std::vector<trace::Edit>& made() const { return made_; }
    /// Whether the cell holds another token than the parent's.
    [[nodiscard]] bool differs(int step, int slot) const;
    [[nodiscard]] int changedSlots() const;  ///< slots that end as another token than the parent's
    /// Whether the family that recorded the trace can do this; a trace that does not say leaves it to the
    /// engine.
    [[nodiscard]] bool can(trace::EditKind kind) const;

private:
    std::shared_ptr<const trace::Trace> trace_, parent_;
    std::vector<trace::Edit> pending_, made_;
};

/// A recording and those that branched from it.
struct BranchNode {
    std::filesystem::path file;
    std::string change;  ///< "slot 2 := lay @17"; of the root its prompt
    std::string output;
    std::vector<BranchNode> children;  ///< oldest first
};
/// The tree that a recording belongs to, from its root, read from the metadata of the recordings in its
/// folder. A parent that is gone leaves its branch as the root; damaged files are left out. Reads files: not
/// on the GUI thread.
[[nodiscard]] BranchNode branchTreeOf(const std::filesystem::path& file);

}  // namespace kurve::views
