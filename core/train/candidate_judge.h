#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "core/text/tokenizer.h"
#include "core/train/model_family.h"

namespace kurve::train {

/// The choice of sampler.selection that leaves it to the run of sampler.ppl_run.
inline constexpr const char* kPplSelection = "ppl";
[[nodiscard]] FieldSpec pplRunField();

/// A source and what it might become, as texts.
struct JudgedPair {
    std::string source, candidate;
};

/// Chooses among a text's candidates in place of the family's own selector.
class CandidateJudge {
public:
    virtual ~CandidateJudge() = default;
    /// A score for each, higher is better; -inf for a candidate that it cannot read. Errors: as of what it
    /// asks.
    virtual Result<std::vector<double>> score(std::span<const JudgedPair> pairs) = 0;
    /// Which it is, to the bit: for records and hashes.
    [[nodiscard]] virtual std::string name() const = 0;
};

/// Knows the judges that samplers name. One thread at a time.
class JudgeSource {
public:
    virtual ~JudgeSource() = default;
    /// The judge of sampler.ppl_run; lives as long as this. Errors: sample.ppl_run, and those of reading it.
    virtual Result<CandidateJudge*> judge(const std::string& run) = 0;
};

/// The judge that `sampler` asks for (sampler.selection = "ppl"); null if the family's own selector decides.
/// Errors: sample.ppl_run, also where a judge is asked for and there is no source of them.
Result<CandidateJudge*> judgeFor(JudgeSource* maybeSource, const RunConfig& sampler);

/// Orders every row's candidates by the judge's score, which becomes theirs; equal ones keep their order.
/// `sources`: the rows' texts. `maybeFirst`: the candidate of row 0 that stays first whatever its score.
Status rankCandidates(CandidateJudge& judge, std::span<const std::string> sources,
                      const text::Tokenizer& target, std::vector<GeneratedRow>& rows,
                      std::optional<std::int64_t> maybeFirst = std::nullopt);

}  // namespace kurve::train
