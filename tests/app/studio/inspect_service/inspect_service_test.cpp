#include "app/studio/services/inspect_service.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <csignal>

#include "app/studio/services/trace_request.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

using views::PromptAnswer;
using views::PromptRequest;
using views::PromptStatus;

class InspectServiceTest : public ::testing::Test {
protected:
    InspectServiceTest() {
        service_ = std::make_unique<InspectService>(QStringLiteral(KURVE_FAKE_SERVER), folder_.path());
        listen();
    }
    void listen() {
        QObject::connect(service_.get(), &InspectService::answered,
                         [this](const PromptAnswer& a) { answers_.push_back(a); });
        QObject::connect(service_.get(), &InspectService::traceReady,
                         [this](std::shared_ptr<const trace::Trace> trace) { trace_ = std::move(trace); });
        QObject::connect(service_.get(), &InspectService::traceExtended,
                         [this](std::shared_ptr<const trace::Trace> trace) {
                             EXPECT_EQ(trace_, nullptr) << "after the finished one";
                             EXPECT_TRUE(trace->file.empty()) << "a file that will not stay";
                             grown_.push_back(trace->steps);
                         });
        QObject::connect(service_.get(), &InspectService::statusChanged, [this](const PromptStatus& s) {
            kinds_.push_back(s.kind);
            texts_ << s.text;
        });
    }
    void prompt(const char* run, const char* text) {
        PromptRequest request;
        request.runId = run;
        request.checkpoint = "last";
        request.input = text;
        request.settings["sampler.steps"] = "12";
        request.seed = 5;
        service_->request(request);
    }
    bool answered(std::size_t count) {
        return test::waitFor([&] { return answers_.size() >= count && trace_ != nullptr; });
    }
    bool failed() {
        return test::waitFor([&] { return service_->status().kind == PromptStatus::Kind::Failed; });
    }

    QApplication& app_ = test::guiApp();
    testing::TemporaryFolder folder_;
    std::unique_ptr<InspectService> service_;
    std::vector<PromptAnswer> answers_;
    std::vector<PromptStatus::Kind> kinds_;
    std::shared_ptr<const trace::Trace> trace_;
    std::vector<int> grown_;
    QStringList texts_;
};

TEST_F(InspectServiceTest, LoadsOnFirstUseAndHandsOverAnswerAndTrace) {
    EXPECT_FALSE(service_->engineRunning());
    prompt("good", "hello");
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Loading);
    ASSERT_TRUE(answered(1));
    EXPECT_EQ(answers_[0].output, "Answer to hello");
    EXPECT_EQ(answers_[0].score, -1.5);
    EXPECT_EQ(trace_->positions, 6);
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Ready);
    using Kind = PromptStatus::Kind;
    EXPECT_EQ(kinds_, (std::vector<Kind>{Kind::Loading, Kind::Working, Kind::Ready}));
    const std::string note = trace_->meta.at("note");
    EXPECT_NE(note.find("sample good --serve --project " + folder_.path().string() + " --checkpoint last"),
              std::string::npos)
        << note;
    EXPECT_NE(note.find("\"steps\":12"), std::string::npos) << note;
    EXPECT_NE(note.find("\"seed\":5"), std::string::npos) << note;
}

TEST_F(InspectServiceTest, KeepsTheEngineForTheNextPrompt) {
    prompt("good", "one");
    ASSERT_TRUE(answered(1));
    kinds_.clear();
    prompt("good", "two");
    ASSERT_TRUE(answered(2));
    EXPECT_EQ(answers_[1].output, "Answer to two");
    EXPECT_EQ(kinds_.front(), PromptStatus::Kind::Working) << "it was loaded a second time";
}

TEST_F(InspectServiceTest, NewerWeightsDoNotEndTheRequestTheyAreLoadedFor) {
    prompt("good", "one");
    ASSERT_TRUE(answered(1));
    kinds_.clear();
    prompt("good", "reloads");
    ASSERT_TRUE(answered(2));
    EXPECT_EQ(kinds_,
              (std::vector<PromptStatus::Kind>{PromptStatus::Kind::Working, PromptStatus::Kind::Ready}))
        << "ready before the answer";
}

TEST_F(InspectServiceTest, NewerRequestCancelsTheOlder) {
    prompt("good", "slow");
    ASSERT_TRUE(test::waitFor([&] { return service_->status().kind == PromptStatus::Kind::Working; }));
    prompt("good", "quick");
    ASSERT_TRUE(answered(1));
    EXPECT_EQ(answers_[0].output, "Answer to quick");
    test::waitFor([] { return false; }, 200);
    EXPECT_EQ(answers_.size(), 1U);
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Ready)
        << "the older one's cancellation is no failure";
}

TEST_F(InspectServiceTest, ShowsATraceWhileItGrows) {
    prompt("good", "grows");
    ASSERT_TRUE(answered(1));
    ASSERT_FALSE(grown_.empty());
    EXPECT_TRUE(std::is_sorted(grown_.begin(), grown_.end()));
    EXPECT_LT(grown_.back(), 3) << "the finished one comes as traceReady()";
    EXPECT_EQ(trace_->steps, 3);
    EXPECT_TRUE(texts_.contains(QStringLiteral("Denoising: step 2 of 3"))) << texts_.join('|').toStdString();
}

TEST_F(InspectServiceTest, CancelLeavesAReadyEngine) {
    prompt("good", "slow");
    ASSERT_TRUE(test::waitFor([&] { return service_->status().kind == PromptStatus::Kind::Working; }));
    service_->cancel();
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Ready);
    prompt("good", "after");
    ASSERT_TRUE(answered(1));
    EXPECT_EQ(answers_[0].output, "Answer to after");
}

TEST_F(InspectServiceTest, AnotherRunStartsAnotherEngine) {
    prompt("good", "one");
    ASSERT_TRUE(answered(1));
    trace_.reset();
    prompt("better", "two");
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Loading);
    ASSERT_TRUE(answered(2));
    EXPECT_NE(trace_->meta.at("note").find("sample better"), std::string::npos);
}

TEST_F(InspectServiceTest, ABranchIsRecordedAgainWithItsEdits) {
    trace::Trace branch;
    branch.meta = {{"run", "good"},
                   {"checkpoint_step", "40"},
                   {"prompt", "hello"},
                   {"seed", "7"},
                   {"branch_parent", "traces/requested.safetensors"},
                   {"branch_step", "3"},
                   {"branch_edits", R"([{"kind":"force","position":2,"step":3,"token":9}])"}};
    PromptRequest request = requestOf(branch);
    EXPECT_EQ(request.checkpoint, "40");
    request.what = {"latent", "hidden"};
    service_->request(request);
    ASSERT_TRUE(answered(1));
    const std::string note = trace_->meta.at("note");
    const auto body = nlohmann::json::parse(note.substr(note.find('|') + 1));
    EXPECT_EQ(body.at("parent"), "traces/requested.safetensors");
    EXPECT_EQ(body.at("step"), 3);
    EXPECT_EQ(body.at("edits").at(0).at("token"), 9);
    EXPECT_EQ(body.at("what"), nlohmann::json({"latent", "hidden"}));
    EXPECT_FALSE(requestOf(trace::Trace()).branch.has_value());
    trace_.reset();
    branch.file = folder_ / "runs/good/traces/shown.safetensors";
    service_->branch(branch, 2, "[]");
    ASSERT_TRUE(answered(2));
    EXPECT_NE(trace_->meta.at("note").find(R"("parent":"traces/shown.safetensors")"), std::string::npos)
        << trace_->meta.at("note");
}

TEST_F(InspectServiceTest, ReadsTracesOfTheRunOnly) {
    prompt("good", "elsewhere");
    ASSERT_TRUE(failed());
    EXPECT_TRUE(service_->status().text.contains("names no checkpoint or trace of the run"));
    EXPECT_EQ(trace_, nullptr);
}

TEST(TraceRequest, KeepsTheKindOfThePrompt) {
    trace::Trace trace;
    trace.meta = {{"run", "good"}, {"prompt", "he [MASK] up"}, {"prompt_kind", "infill"}};
    EXPECT_EQ(questionOf(requestOf(trace)).body.at("prompt"), "infill");
    trace.meta = {{"run", "good"}, {"prompt", "hello"}};
    EXPECT_FALSE(questionOf(requestOf(trace)).body.contains("prompt")) << "a source";
}

TEST(TraceRequest, TakesNoPathFromATrace) {
    for (const char* hostile : {"../../victim", "/victim", "..", ".", "--force", "a\nb"}) {
        trace::Trace trace;
        trace.meta = {{"run", hostile}, {"checkpoint_step", hostile}, {"prompt", "x"}};
        EXPECT_EQ(requestOf(trace).runId, QString()) << hostile;
        EXPECT_EQ(requestOf(trace).checkpoint, QString()) << hostile;
    }
}

TEST_F(InspectServiceTest, RequestsACandidateAndReportsTheirNumber) {
    trace::Trace second;
    second.meta = {{"run", "good"}, {"prompt", "hello"}, {"candidate", "3"}, {"reference", "hi"}};
    PromptRequest request = requestOf(second);
    EXPECT_EQ(request.candidate, 3) << "layers are captured of the same text";
    service_->request(request);
    ASSERT_TRUE(answered(1));
    const std::string note = trace_->meta.at("note");
    const auto body = nlohmann::json::parse(note.substr(note.find('|') + 1));
    EXPECT_EQ(body.at("candidate"), 3);
    EXPECT_EQ(body.at("reference"), "hi");
    EXPECT_EQ(answers_[0].candidates, 2);
    EXPECT_FALSE(requestOf(trace::Trace()).candidate.has_value());
}

TEST_F(InspectServiceTest, ADifferentOutputOfARepetitionIsReported) {
    QStringList said;
    QObject::connect(service_.get(), &InspectService::said, [&](const QString& text) { said << text; });
    PromptRequest request;
    request.runId = "good";
    request.input = "hello";
    request.row = 5;
    request.expected = "Answer to hello";
    service_->request(request);
    ASSERT_TRUE(answered(1));
    EXPECT_TRUE(said.isEmpty());
    const std::string note = trace_->meta.at("note");
    EXPECT_EQ(nlohmann::json::parse(note.substr(note.find('|') + 1)).at("row"), 5);
    request.expected = "another";
    service_->request(request);
    ASSERT_TRUE(answered(2));
    ASSERT_EQ(said.size(), 1);
    EXPECT_EQ(said[0],
              QStringLiteral("The output differs from the expected one: “Answer to hello” instead of "
                             "“another”."));
    EXPECT_TRUE(service_->status().text.endsWith(said[0])) << service_->status().text.toStdString();
    trace::Trace repeated;
    repeated.meta = {{"noise_row", "5"}};
    EXPECT_EQ(requestOf(repeated).row, 5U) << "for further requests of the same trace";
}

TEST_F(InspectServiceTest, ErrorsOfARequestAreTextsAndNameTheirSetting) {
    prompt("good", "bad");
    ASSERT_TRUE(failed());
    EXPECT_EQ(service_->status().text, "no such prompt");
    EXPECT_EQ(service_->status().field, "sampler.steps");
    prompt("good", "fine");
    EXPECT_TRUE(answered(1));
}

TEST_F(InspectServiceTest, EngineThatCannotLoadSaysWhy) {
    prompt("broken", "hello");
    ASSERT_TRUE(failed());
    EXPECT_TRUE(service_->status().text.contains("no checkpoint yet"))
        << service_->status().text.toStdString();
    EXPECT_FALSE(service_->engineRunning());
}

TEST_F(InspectServiceTest, CrashIsAStateAndTheNextRequestStartsAgain) {
    prompt("dies", "hello");
    ASSERT_TRUE(failed());
    EXPECT_TRUE(service_->status().text.contains("crashed")) << service_->status().text.toStdString();
    prompt("good", "again");
    EXPECT_TRUE(answered(1));
}

TEST_F(InspectServiceTest, ForeignEngineIsRefused) {
    prompt("foreign", "hello");
    ASSERT_TRUE(failed());
    EXPECT_TRUE(service_->status().text.contains("protocol 99")) << service_->status().text.toStdString();
}

TEST_F(InspectServiceTest, MissingEngineNamesTheRemedy) {
    qputenv("KURVE_ENGINE", "/nowhere");
    service_ = std::make_unique<InspectService>(QString(), folder_.path());
    listen();
    prompt("good", "hello");
    ASSERT_TRUE(failed());
    EXPECT_TRUE(service_->status().text.contains("packaging/run")) << service_->status().text.toStdString();
    qputenv("KURVE_ENGINE", KURVE_FAKE_SERVER);
    prompt("good", "hello");
    EXPECT_TRUE(answered(1)) << "it was built meanwhile";
    qunsetenv("KURVE_ENGINE");
    service_ = std::make_unique<InspectService>(QStringLiteral("/no/such/engine"), "/project");
    listen();
    prompt("good", "hello");
    ASSERT_TRUE(failed());
    EXPECT_TRUE(service_->status().text.contains("could not be started"));
}

TEST_F(InspectServiceTest, NoEngineOutlivesTheWindow) {
    prompt("silent", "hello");
    ASSERT_TRUE(test::waitFor([&] { return service_->enginePid() > 0; }));
    const auto pid = static_cast<pid_t>(service_->enginePid());
    EXPECT_EQ(::kill(pid, 0), 0);
    service_.reset();
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(InspectServiceTest, ReleaseEndsTheEngineWithoutWaiting) {
    prompt("good", "one");
    ASSERT_TRUE(answered(1));
    const auto pid = static_cast<pid_t>(service_->enginePid());
    service_->release();
    EXPECT_FALSE(service_->engineRunning());
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Idle);
    EXPECT_TRUE(test::waitFor([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(InspectServiceTest, ARequestThatAReleaseMeetsIsAnsweredOrFails) {
    prompt("good", "one");
    service_->release();
    ASSERT_TRUE(answered(1)) << "it waited for the engine to load";
    prompt("good", "slow");
    ASSERT_TRUE(test::waitFor([&] { return service_->status().kind == PromptStatus::Kind::Working; }));
    service_->release();
    EXPECT_EQ(service_->status().kind, PromptStatus::Kind::Failed);
    EXPECT_TRUE(service_->status().text.contains("press Run again"));
    prompt("good", "two");
    EXPECT_TRUE(answered(2));
}

}  // namespace
}  // namespace kurve::studio
