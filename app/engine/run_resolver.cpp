#include "app/engine/run_resolver.h"

#include <limits>
#include <numeric>

#include "app/engine/text_scorer.h"

namespace kurve::engine {
namespace {

constexpr const char* kScorerField = "sampler.scorer";

class RunReranker final : public train::Reranker {
public:
    explicit RunReranker(std::unique_ptr<TextScorer> scorer) : scorer_(std::move(scorer)) {}

    Result<std::vector<double>> score(std::span<const train::ScoredPair> pairs) override {
        KURVE_TRY(const ScoredTexts read, scorer_->read(pairs, false));
        std::vector<double> scores;
        for (const auto& logP : read.logProbability)
            scores.push_back(logP.empty() ? -std::numeric_limits<double>::infinity()
                                          : std::accumulate(logP.begin(), logP.end(), 0.0) /
                                                static_cast<double>(logP.size()));
        return scores;
    }
    [[nodiscard]] std::string name() const override { return scorer_->name(); }

private:
    std::unique_ptr<TextScorer> scorer_;
};

class ProjectRunResolver final : public train::RunResolver {
public:
    ProjectRunResolver(CommonOptions common, std::filesystem::path project, c10::Device device)
        : common_(std::move(common)), project_(std::move(project)), device_(device) {}

    Result<train::Reranker*> reranker(const std::string& run) override {
        if (const auto known = rerankers_.find(run); known != rerankers_.end()) return known->second.get();
        auto scorer = TextScorer::load(common_, project_, run, device_);
        if (scorer)
            return rerankers_.emplace(run, std::make_unique<RunReranker>(std::move(*scorer)))
                .first->second.get();
        Error error = scorer.error();
        error.field = kScorerField;
        if (error.code == "scorer.no_likelihood") {
            error.code = "sample.scorer";
            return error;
        }
        return std::move(error).fix(
            "name another scorer, or none: --set sampler.selection=likelihood; a run that was trained with "
            "it "
            "continues without: kurve fork RUN --set sampler.selection=likelihood");
    }

private:
    CommonOptions common_;
    std::filesystem::path project_;
    c10::Device device_;
    std::map<std::string, std::unique_ptr<RunReranker>> rerankers_;
};

}  // namespace

std::shared_ptr<train::RunResolver> makeRunResolver(const CommonOptions& common,
                                                    const std::filesystem::path& project,
                                                    c10::Device device) {
    return std::make_shared<ProjectRunResolver>(common, project, device);
}

}  // namespace kurve::engine
