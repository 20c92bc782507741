// Prompts to a model that trains, answered by the engine that trains it.
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "app/studio/engine/run_supervisor.h"
#include "app/studio/services/inspect_service.h"
#include "app/studio/services/trace_request.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

using views::PromptRequest;
using views::PromptStatus;

class LiveModelTest : public ::testing::Test {
protected:
    LiveModelTest() : training_(QStringLiteral("good"), QString::fromStdString(folder_.path().string())) {
        service_.setTrainings([this](const QString& run) { return run == "good" ? &training_ : nullptr; });
        QObject::connect(&service_, &InspectService::answered,
                         [this](const views::PromptAnswer& answer) { answers_ << answer.output; });
        QObject::connect(&service_, &InspectService::traceReady,
                         [this](std::shared_ptr<const trace::Trace> trace) { trace_ = std::move(trace); });
    }
    ~LiveModelTest() override {
        training_.stop();
        test::waitFor([this] { return !training_.isLive(); });
    }
    void train() {
        training_.start(
            QStringLiteral(KURVE_FAKE_SERVER),
            {"train", "good", "--events", "--project", QString::fromStdString(folder_.path().string())},
            QString::fromStdString(folder_.path().string()));
        ASSERT_TRUE(test::waitFor([this] { return training_.pid() > 0; }));
    }
    static PromptRequest prompt(const char* text) {
        PromptRequest request;
        request.runId = "good";
        request.checkpoint = views::kLiveModel;
        request.input = text;
        return request;
    }
    bool reaches(PromptStatus::Kind kind) {
        return test::waitFor([&] { return service_.status().kind == kind; });
    }

    QApplication& app_ = test::guiApp();
    kurve::testing::TemporaryFolder folder_;
    InspectService service_{QStringLiteral("/no/engine/is/needed"), folder_.path()};
    RunSupervisor training_;
    QStringList answers_;
    std::shared_ptr<const trace::Trace> trace_;
};

TEST_F(LiveModelTest, TheTrainingAnswersAndNoOtherEngineStarts) {
    train();
    QSignalSpy warnings(&training_, &RunSupervisor::warned);
    PromptRequest request = prompt("hello");
    request.settings["sampler.steps"] = "12";
    request.defaults = {{"sampler.steps", "5"}, {"sampler.temperature", "0.5"}};
    service_.request(request);
    ASSERT_TRUE(test::waitFor([this] { return trace_ != nullptr; }));
    EXPECT_EQ(answers_, QStringList("Answer to hello"));
    EXPECT_FALSE(service_.engineRunning());
    const std::string note = trace_->meta.at("note");
    const auto body = nlohmann::json::parse(note.substr(note.find('|') + 1));
    EXPECT_EQ(body.at("sampler"), (nlohmann::json{{"steps", 12}, {"temperature", 0.5}}))
        << "a training decodes without the run's default sampler";
    service_.request(prompt("bad"));
    ASSERT_TRUE(reaches(PromptStatus::Kind::Failed));
    EXPECT_EQ(service_.status().text, "no such prompt");
    EXPECT_EQ(warnings.count(), 0) << "a wrong prompt is no trouble of the training";
}

TEST_F(LiveModelTest, AnOlderPromptIsCancelled) {
    train();
    service_.request(prompt("slow"));
    EXPECT_EQ(service_.status().kind, PromptStatus::Kind::Working);
    service_.request(prompt("quick"));
    ASSERT_TRUE(test::waitFor([this] { return trace_ != nullptr; }));
    EXPECT_EQ(answers_, QStringList("Answer to quick"));
    const auto cancelled = [&](const char* times) {
        return trace_->meta.at("note").find(std::string(times) + " cancelled") != std::string::npos;
    };
    EXPECT_TRUE(cancelled("1")) << "the training gets the cancel";
    service_.request(prompt("slow"));
    QSignalSpy answered(&training_, &RunSupervisor::answered);
    service_.cancel();
    EXPECT_EQ(service_.status().text, "Cancelled.");
    EXPECT_TRUE(test::waitFor([&] { return !answered.isEmpty(); })) << "that it was cancelled";
}

TEST_F(LiveModelTest, AnEndedTrainingIsReportedWithARemedy) {
    service_.request(prompt("hello"));
    EXPECT_EQ(service_.status().kind, PromptStatus::Kind::Failed);
    EXPECT_EQ(service_.status().text, "This run is no longer training; choose its last checkpoint.");
    train();
    service_.request(prompt("slow"));
    training_.stop();
    ASSERT_TRUE(reaches(PromptStatus::Kind::Failed));
    EXPECT_EQ(service_.status().text, "The training ended before answering; choose its last checkpoint.");
}

}  // namespace
}  // namespace kurve::studio
