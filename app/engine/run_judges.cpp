#include "app/engine/run_judges.h"

#include <limits>
#include <numeric>

#include "app/engine/text_judge.h"

namespace kurve::engine {
namespace {

constexpr const char* kJudgeField = "sampler.ppl_run";

class RunJudge final : public train::CandidateJudge {
public:
    explicit RunJudge(std::unique_ptr<TextJudge> judge) : judge_(std::move(judge)) {}

    Result<std::vector<double>> score(std::span<const train::JudgedPair> pairs) override {
        KURVE_TRY(const JudgedTexts read, judge_->read(pairs, false));
        std::vector<double> scores;
        for (const auto& logP : read.logProbability)
            scores.push_back(logP.empty() ? -std::numeric_limits<double>::infinity()
                                          : std::accumulate(logP.begin(), logP.end(), 0.0) /
                                                static_cast<double>(logP.size()));
        return scores;
    }
    [[nodiscard]] std::string name() const override { return judge_->name(); }

private:
    std::unique_ptr<TextJudge> judge_;
};

class RunJudges final : public train::JudgeSource {
public:
    RunJudges(CommonOptions common, std::filesystem::path project, c10::Device device)
        : common_(std::move(common)), project_(std::move(project)), device_(device) {}

    Result<train::CandidateJudge*> judge(const std::string& run) override {
        if (const auto known = judges_.find(run); known != judges_.end()) return known->second.get();
        auto judge = TextJudge::load(common_, project_, run, device_);
        if (judge)
            return judges_.emplace(run, std::make_unique<RunJudge>(std::move(*judge))).first->second.get();
        Error error = judge.error();
        error.field = kJudgeField;
        if (error.code == "judge.no_likelihood") {
            error.code = "sample.ppl_run";
            return error;
        }
        return std::move(error).fix(
            "name another run that judges, or none: --set sampler.selection=likelihood; a run that was "
            "trained with it goes on without: kurve fork RUN --set sampler.selection=likelihood");
    }

private:
    CommonOptions common_;
    std::filesystem::path project_;
    c10::Device device_;
    std::map<std::string, std::unique_ptr<RunJudge>> judges_;
};

}  // namespace

std::shared_ptr<train::JudgeSource> makeRunJudges(const CommonOptions& common,
                                                  const std::filesystem::path& project, c10::Device device) {
    return std::make_shared<RunJudges>(common, project, device);
}

}  // namespace kurve::engine
