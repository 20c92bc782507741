#include "core/config/first_checkpoint.h"

#include <gtest/gtest.h>

namespace kurve {
namespace {

Result<std::shared_ptr<const Schema>> lookup(const std::string& family) {
    auto schema = std::make_shared<Schema>();
    schema->family = family;
    schema->title = "Toy";
    schema->fields = {realField("checkpoint.every_seconds", 0, "time"),
                      integerField("checkpoint.every_steps", 1000, "steps"),
                      integerField("checkpoint.keep_best", 1, "best"),
                      realField("eval.every_seconds", 0, "time"),
                      integerField("eval.every_steps", 300, "steps")};
    return std::shared_ptr<const Schema>(std::move(schema));
}

std::optional<FirstCheckpoint> first(const std::string& settings, const char* step = "120") {
    const auto config = RunConfig::parse("family = \"toy\"\n" + settings, "x.toml", lookup);
    if (!config) throw std::runtime_error(config.error().text());
    return firstCheckpoint(
        *config,
        {{"heartbeat_step", step}, {"started", "1000"}, {"heartbeat_wall", "1060"}, {"total_steps", "5000"}});
}

TEST(FirstCheckpoint, ComesWithTheFirstEvaluationWhereTheBestIsKept) {
    EXPECT_EQ(first("")->step, 300);
    EXPECT_DOUBLE_EQ(first("")->seconds, 90) << "180 steps at 2 a second";
    EXPECT_EQ(first("[checkpoint]\nkeep_best = 0\n")->step, 1000);
}

TEST(FirstCheckpoint, TimeCountsAtTheSpeedSoFar) {
    EXPECT_EQ(first("[checkpoint]\nevery_seconds = 80\n")->step, 160);
    EXPECT_EQ(first("[checkpoint]\nevery_seconds = 80\n", "0")->step, 300) << "no speed is known yet";
    EXPECT_LT(first("", "0")->seconds, 0);
}

TEST(FirstCheckpoint, PausesAreNoTraining) {
    const auto config = RunConfig::parse("family = \"toy\"\n", "x.toml", lookup);
    ASSERT_TRUE(config);
    const auto checkpoint = firstCheckpoint(*config, {{"heartbeat_step", "120"},
                                                      {"started", "1000"},
                                                      {"heartbeat_wall", "1960"},
                                                      {"seconds", "60"},
                                                      {"total_steps", "5000"}});
    EXPECT_DOUBLE_EQ(checkpoint->seconds, 90) << "15 minutes of the 16 it stood still";
}

TEST(FirstCheckpoint, TheEndWritesOne) {
    EXPECT_EQ(first("[checkpoint]\nevery_steps = 0\n[eval]\nevery_steps = 0\n")->step, 5000);
}

}  // namespace
}  // namespace kurve
