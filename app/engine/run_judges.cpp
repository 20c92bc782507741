#include "app/engine/run_judges.h"

#include <limits>
#include <numeric>

#include "app/engine/run_access.h"
#include "core/train/likelihood.h"

namespace kurve::engine {
namespace {

constexpr const char* kJudgeField = "sampler.ppl_run";

class RunJudge final : public train::CandidateJudge {
public:
    explicit RunJudge(LoadedModel loaded) : loaded_(std::move(loaded)) {}

    Result<std::vector<double>> score(std::span<const train::JudgedPair> pairs) override {
        std::vector<double> scores(pairs.size(), -std::numeric_limits<double>::infinity());
        const auto longest = static_cast<std::size_t>(loaded_.run.config.integer("model.max_positions"));
        train::LikelihoodRequest request;
        std::vector<std::size_t> asked;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            auto target = train::encodeSource(*loaded_.data.target, pairs[i].candidate);
            if (target.size() > longest) continue;
            request.sources.push_back(train::encodeSource(*loaded_.data.source, pairs[i].source));
            request.targets.push_back(std::move(target));
            asked.push_back(i);
        }
        KURVE_TRY(const train::Likelihoods found, loaded_.model->likelihood()->score(request));
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const auto& logP = found.logProbability[k];
            scores[asked[k]] =
                std::accumulate(logP.begin(), logP.end(), 0.0) / static_cast<double>(logP.size());
        }
        return scores;
    }
    [[nodiscard]] std::string name() const override {
        const auto origin = loaded_.origin();
        return fmt::format("{} {} {}", origin.run, origin.checkpoint, origin.checkpointSha256);
    }

private:
    LoadedModel loaded_;
};

class RunJudges final : public train::JudgeSource {
public:
    RunJudges(CommonOptions common, c10::Device device) : common_(std::move(common)), device_(device) {}

    Result<train::CandidateJudge*> judge(const std::string& run) override {
        if (const auto known = judges_.find(run); known != judges_.end()) return known->second.get();
        auto loaded = loadModelOn(common_, {run, "best"}, device_);
        if (!loaded) {
            Error error = loaded.error();
            error.field = kJudgeField;
            return std::move(error).fix(
                "name another run that judges, or none: --set sampler.selection=likelihood; a run that was "
                "trained with it goes on without: kurve fork RUN --set sampler.selection=likelihood");
        }
        if (loaded->model->likelihood() == nullptr)
            return requestError("sample.ppl_run",
                                fmt::format("the run {} is of the family {}, which gives a text no exact "
                                            "probability",
                                            run, loaded->run.config.family()))
                .at(kJudgeField)
                .fix("name a run of the family transformer");
        return judges_.emplace(run, std::make_unique<RunJudge>(std::move(*loaded))).first->second.get();
    }

private:
    CommonOptions common_;
    c10::Device device_;
    std::map<std::string, std::unique_ptr<RunJudge>> judges_;
};

}  // namespace

std::shared_ptr<train::JudgeSource> makeRunJudges(const CommonOptions& common,
                                                  const std::filesystem::path& project, c10::Device device) {
    CommonOptions own = common;
    own.project = project.string();
    own.sets.clear();  // they are of the run that is judged
    own.seed.reset();
    return std::make_shared<RunJudges>(std::move(own), device);
}

}  // namespace kurve::engine
