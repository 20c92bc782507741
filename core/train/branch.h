#pragma once

#include "core/train/decode.h"

namespace kurve::train {

/// A recorded trace once more, with interventions from one step on.
struct BranchRequest {
    const trace::Trace& parent;
    std::string parentFile;  ///< how the branch names it: relative to the run's folder where it lies there
    int step = 0;            ///< the first that may differ
    std::vector<trace::Edit> edits;
    std::vector<std::string> what;  ///< extra blocks besides those that the parent has
    CancelToken cancel;
    std::filesystem::path growing = {};  ///< as TraceRequest
    std::function<void(int steps, int planned)> progress = {};
};
/// Samples the parent's text again with its seed, sampler and candidate, and with the edits on top of those
/// that the parent was made with. Everything before `step` is the parent's, and without edits all of it, bit
/// for bit on the device that recorded it: random numbers come from the same named streams, and an edit draws
/// none of theirs. The result's metadata keep parent, step, edits and their name (trace.h). Errors:
/// branch.parent (not of this run, or not a sampling trace), branch.weights (of another checkpoint),
/// branch.diverged (the parent cannot be reproduced here), branch.step, branch.position, branch.token,
/// branch.unsupported, and those of the model.
Result<RecordedTrace> recordBranch(const TextModel& text, const BranchRequest& request,
                                   const RunConfig& config, const TraceOrigin& origin);

/// Resolves the ids of the edits' tokens: a token, or a text of one token; in a trace of chunks or sentences
/// the tokens of a whole one. Errors: branch.token.
Status findTokens(std::vector<trace::Edit>& edits, const text::Tokenizer& tokenizer,
                  const trace::Trace& parent);

}  // namespace kurve::train
