#include "app/studio/services/inference_service.h"

#include <gtest/gtest.h>

#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

using nlohmann::json;

class InferenceServiceTest : public ::testing::Test {
protected:
    void ask(const QString& run, const char* text) {
        service_.ask(
            {run, "last", "reconstruct", {{"input", text}}},
            [this](const Result<json>& answer) { answers_.push_back(answer); }, owner_.get());
    }
    bool answered(std::size_t count) {
        return test::waitFor([&] { return answers_.size() >= count; });
    }

    QApplication& app_ = test::guiApp();
    testing::TemporaryFolder folder_;
    InferenceService service_{QStringLiteral(KURVE_FAKE_SERVER), folder_.path()};
    std::unique_ptr<QObject> owner_ = std::make_unique<QObject>();
    std::vector<Result<json>> answers_;
};

TEST_F(InferenceServiceTest, AnswersInOrderWithOneEngine) {
    ask("good", "one");
    ask("good", "bad");
    ask("good", "two");
    ASSERT_TRUE(answered(3));
    EXPECT_EQ((*answers_[0])["heard"]["input"], "one");
    ASSERT_FALSE(answers_[1]);
    EXPECT_EQ(answers_[1].error().code, "sample.too_long");
    EXPECT_EQ(answers_[1].error().text(), "input: too long; shorten it") << "each part once";
    EXPECT_EQ((*answers_[2])["heard"]["input"], "two");
}

TEST_F(InferenceServiceTest, AnEngineThatFailsIsAnErrorOfEveryRequest) {
    ask("broken", "one");
    ask("broken", "two");
    ASSERT_TRUE(answered(2));
    for (const auto& answer : answers_) {
        ASSERT_FALSE(answer);
        EXPECT_NE(answer.error().text().find("the run has no checkpoint yet"), std::string::npos);
    }
    ask("good", "three");
    ASSERT_TRUE(answered(3));
    EXPECT_TRUE(answers_[2]);
}

TEST_F(InferenceServiceTest, AnotherRunDropsWhatWasAskedBefore) {
    ask("silent", "one");
    ask("good", "two");
    ASSERT_TRUE(answered(1));
    test::waitFor([] { return false; }, 100);
    ASSERT_EQ(answers_.size(), 1U);
    EXPECT_EQ((*answers_[0])["heard"]["input"], "two");
}

TEST_F(InferenceServiceTest, NobodyIsAnsweredWhoIsGone) {
    ask("good", "one");
    owner_ = std::make_unique<QObject>();
    ask("good", "two");
    ASSERT_TRUE(answered(1));
    EXPECT_EQ((*answers_[0])["heard"]["input"], "two");
}

}  // namespace
}  // namespace kurve::studio
