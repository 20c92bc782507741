#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "core/text/tokenizer.h"
#include "core/train/model_family.h"

namespace kurve::train {

/// The value of sampler.selection that has candidates scored by the run of sampler.scorer.
inline constexpr const char* kPplSelection = "ppl";
[[nodiscard]] FieldSpec scorerField();

/// A source and a candidate, as texts.
struct ScoredPair {
    std::string source, candidate;
};

/// Scores a text's candidates in place of the family's own selector.
class Reranker {
public:
    virtual ~Reranker() = default;
    /// A score for each, higher is better; -inf for a candidate that it cannot read. Errors: those of the
    /// scoring model.
    virtual Result<std::vector<double>> score(std::span<const ScoredPair> pairs) = 0;
    /// Identifies it exactly: for records and hashes.
    [[nodiscard]] virtual std::string name() const = 0;
};

/// Finds the runs that samplers name as scorers. One thread at a time.
class RunResolver {
public:
    virtual ~RunResolver() = default;
    /// Of the run of sampler.scorer; lives as long as this. Errors: sample.scorer, and those of reading it.
    virtual Result<Reranker*> reranker(const std::string& run) = 0;
};

/// The reranker that `sampler` needs (sampler.selection = "ppl"); null if the family's own selector decides.
/// Errors: sample.scorer, also where a reranker is needed and there is no resolver.
Result<Reranker*> rerankerFor(RunResolver* maybeResolver, const RunConfig& sampler);

/// Orders every row's candidates by the reranker's score, which becomes theirs; equal ones keep their order.
/// `sources`: the rows' texts. `maybeFirst`: the candidate of row 0 that stays first whatever its score.
Status rankCandidates(Reranker& reranker, std::span<const std::string> sources, const text::Tokenizer& target,
                      std::vector<GeneratedRow>& rows, std::optional<std::int64_t> maybeFirst = std::nullopt);

}  // namespace kurve::train
