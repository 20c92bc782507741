#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/trace/edit.h"

namespace kurve::inspect {

/// The step at which a trace is first shown: the last one, of a branch its first edited step.
[[nodiscard]] int openingStep(const trace::Trace& trace);

/// Pending edits of the shown trace, and the edits that made it. No window.
class Intervention {
public:
    /// Discards the pending edits.
    void setTrace(std::shared_ptr<const trace::Trace> trace);
    /// The parent of a branch; null for none. A trace of another size is ignored.
    void setParent(std::shared_ptr<const trace::Trace> parent);

    /// Adds a pending edit. It replaces an edit of the same position at the same step, unless one of the two
    /// is a ban.
    void add(trace::Edit edit);
    /// Discards the pending edits of a position.
    void removePosition(int position);
    void clear() { pending_.clear(); }
    [[nodiscard]] const std::vector<trace::Edit>& pending() const { return pending_; }
    /// First step of the pending edits; -1 without any.
    [[nodiscard]] int firstStep() const;

    [[nodiscard]] const std::shared_ptr<const trace::Trace>& trace() const { return trace_; }
    /// The edits that made the shown trace, including its parents'; empty if it is not a branch.
    [[nodiscard]] const std::vector<trace::Edit>& made() const { return made_; }
    /// Whether the cell holds another token than the parent's.
    [[nodiscard]] bool differs(int step, int position) const;
    [[nodiscard]] int changedPositions() const;  ///< positions that end as another token than the parent's
    /// Whether the family of the trace supports this edit; true where the trace has no list.
    [[nodiscard]] bool supports(trace::EditKind kind) const;

    /// Tokens that can be typed, sorted without case; empty: unknown.
    void setVocabulary(std::vector<std::string> tokens) { vocabulary_ = std::move(tokens); }
    [[nodiscard]] const std::vector<std::string>& vocabulary() const { return vocabulary_; }

private:
    std::shared_ptr<const trace::Trace> trace_, parent_;
    std::vector<trace::Edit> pending_, made_;
    std::vector<std::string> vocabulary_;
};

/// A trace and its branches.
struct BranchNode {
    std::filesystem::path file;
    std::string change;  ///< "position 2 := lay @17"; the prompt of the root
    std::string output;
    std::vector<BranchNode> children;  ///< oldest first
};
/// The tree of a trace from its root, read from the metadata of the traces in its folder. The branch of a
/// deleted parent is a root; damaged files are left out. Reads files: for a worker.
[[nodiscard]] BranchNode branchTreeOf(const std::filesystem::path& file);

}  // namespace kurve::inspect
