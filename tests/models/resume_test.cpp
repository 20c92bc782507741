// What a run logs does not depend on whether, and where, it was stopped on the way.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "core/store/run_reader.h"
#include "models/families.h"
#include "tests/app/engine/engine_process.h"
#include "tests/models/family_fixture.h"
#include "tests/models/unattended.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models {
namespace {

namespace fs = std::filesystem;

/// Metrics of the clock and of the machine, not of the training.
bool isMeasured(const std::string& metric) {
    static const std::set<std::string> kMeasured{"tokens_per_second", "data_wait",   "rss_mb",
                                                 "cpu_percent",       "gpu_percent", "gpu_memory_mb"};
    return kMeasured.contains(metric);
}

using Points = std::map<std::int64_t, double>;

/// Family and log.every_steps.
class Resumed : public ::testing::TestWithParam<std::tuple<std::string, int>> {
protected:
    static constexpr std::int64_t kSteps = 60;

    static void SetUpTestSuite() {
        project_ = std::make_unique<kurve::testing::TemporaryFolder>();
        kurve::testing::makeSmallProject(project_->path());
    }
    static void TearDownTestSuite() { project_.reset(); }

    /// Trains in one session up to each of the ends.
    [[nodiscard]] static fs::path train(const std::string& id, const std::vector<std::int64_t>& ends) {
        const auto& [family, every] = GetParam();
        static const std::map<std::string, std::string> kExperiments{
            {"difformer", "small"},      {"sclm", "curve"},
            {"cmlm", "masked"},          {"mdlm", "text"},
            {"sclm_mdlm", "text_curve"}, {"transformer", "causal"},
            {"ngram", "ngram"},          {"calm_autoencoder", "chunks"},
            {"concept", "sentences"},    {"diffusia", "spiral"}};
        const fs::path file = project_->path() / "experiments" / (kExperiments.at(family) + ".toml");
        train::SessionRequest request;
        request.family = findFamily(family);
        request.config = *RunConfig::load(file.string(), schemaLookup(),
                                          std::vector<Override>{{"train.steps", std::to_string(kSteps)},
                                                                {"log.every_steps", std::to_string(every)},
                                                                {"eval.every_steps", "20"},
                                                                {"eval.samples", "0"},
                                                                {"eval.prompt_count", "0"},
                                                                {"train.cpu_replicas", "1"},
                                                                {"checkpoint.every_steps", "1000"}});
        request.project = project_->path();
        request.runFolder = project_->path() / "runs" / (id + "-" + family + std::to_string(every));
        request.runId = request.name = request.runFolder.filename();
        testing::Unattended link;
        for (const std::int64_t end : ends) {
            request.maxSteps = end == kSteps ? 0 : end;
            auto session = train::TrainingSession::begin(request, link);
            EXPECT_TRUE(session) << session.error().text();
            const auto result = (*session)->run();
            EXPECT_TRUE(result && !result->failure);
            EXPECT_EQ(result->steps, end);
            request.checkpoint = result->checkpoint;
        }
        return request.runFolder;
    }
    [[nodiscard]] static Points pointsOf(const store::RunReader& reader, const std::string& metric) {
        store::SeriesCursor cursor;
        store::Series series;
        reader.points(metric, cursor, series);
        Points points;
        for (std::size_t i = 0; i < series.size(); ++i) points[series.step[i]] = series.value[i];
        return points;
    }

private:
    inline static std::unique_ptr<kurve::testing::TemporaryFolder> project_;
};

TEST_P(Resumed, LogsTheValuesOfARunThatNeverStopped) {
    const std::set<std::int64_t> stops{33, 41};
    const auto whole = store::RunReader::open(train("whole", {kSteps})),
               parts = store::RunReader::open(train("parts", {33, 41, kSteps}));
    ASSERT_TRUE(whole && parts);
    std::size_t compared = 0;
    for (const std::string& metric : (*whole)->metrics()) {
        if (isMeasured(metric)) continue;
        const Points wanted = pointsOf(**whole, metric), got = pointsOf(**parts, metric);
        for (const auto& [step, value] : wanted) {
            ASSERT_TRUE(got.contains(step)) << metric << " of step " << step;
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got.at(step)), std::bit_cast<std::uint64_t>(value))
                << metric << " of step " << step << ": " << got.at(step) << ", not " << value;
            ++compared;
        }
        for (const auto& [step, value] : got)
            EXPECT_TRUE(wanted.contains(step) || stops.contains(step)) << metric << " of step " << step;
    }
    EXPECT_GT(compared, 20U);
    std::map<std::int64_t, std::string> wanted, got;
    for (const auto& row : (*whole)->histograms("loss")) wanted[row.step] = row.json;
    for (const auto& row : (*parts)->histograms("loss"))
        if (!stops.contains(row.step)) got[row.step] = row.json;
    EXPECT_EQ(got, wanted) << "loss by noise level";
}

INSTANTIATE_TEST_SUITE_P(Families, Resumed,
                         ::testing::Combine(::testing::ValuesIn(testing::familiesAlone()),
                                            ::testing::Values(1, 7, 50)),
                         [](const auto& info) {
                             return std::get<0>(info.param) + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace kurve::models
