#include "core/store/default_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::HasSubstr;

TEST(DefaultSampler, IsKeptReplacedAndDropped) {
    const testing::TemporaryFolder run;
    const auto none = defaultSampler(run.path());
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
    const SamplerSettings eight{{"sampler.steps", "8"}, {"sampler.noise_factor", "2.5"}};
    ASSERT_TRUE(saveDefaultSampler(run.path(), eight));
    EXPECT_EQ(*defaultSampler(run.path()), eight);
    ASSERT_TRUE(saveDefaultSampler(run.path(), {{"sampler.steps", "4"}}));
    EXPECT_EQ(*defaultSampler(run.path()), (SamplerSettings{{"sampler.steps", "4"}})) << "not added to";
    ASSERT_TRUE(saveDefaultSampler(run.path(), {}));
    EXPECT_FALSE(std::filesystem::exists(defaultSamplerFile(run.path())));
    EXPECT_TRUE(saveDefaultSampler(run.path(), {})) << "nothing to drop";
}

TEST(DefaultSampler, ADamagedFileIsNamedWithARemedy) {
    const testing::TemporaryFolder run;
    const std::string deep(64, '[');
    for (const std::string& text : {std::string("{"), std::string("[]"), std::string(R"({"settings": 8})"),
                                    deep, std::string(R"({"settings": {"sampler.steps": 8}})"),
                                    std::string(R"({"settings": {"train.lr": "1"}})")}) {
        std::ofstream(defaultSamplerFile(run.path())) << text;
        const auto read = defaultSampler(run.path());
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, "sampler.damaged") << text;
        EXPECT_THAT(read.error().text(), HasSubstr("sampler.json"));
        EXPECT_THAT(read.error().text(), HasSubstr("--clear"));
    }
}

}  // namespace
}  // namespace kurve::store
