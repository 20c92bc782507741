#include "app/studio/services/evaluation_service.h"

#include <gmock/gmock.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>
#include <fstream>

#include "core/config/field_spec.h"
#include "core/store/project.h"
#include "tests/app/studio/script_engine.h"
#include "views/common/form/sampler_settings.h"
#include "views/runs/evaluate_form.h"

namespace kurve::studio {
namespace {

using ::testing::ElementsAre;

class EvaluationServiceTest : public ScriptEngineTest {
protected:
    [[nodiscard]] std::vector<std::string> calls() const {
        std::ifstream file(folder_ / "words");
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);) lines.push_back(line);
        return lines;
    }
};

TEST_F(EvaluationServiceTest, ScoresRunsInSequenceAndReportsProgress) {
    EvaluationService service(engine("echo '{\"v\":1,\"type\":\"progress\",\"step\":64,\"total\":300}'\n"),
                              "/p");
    QSignalSpy status(&service, &EvaluationService::statusChanged),
        evaluated(&service, &EvaluationService::evaluated), said(&service, &EvaluationService::said);
    service.start({{"a", "b"}, "best", "test", "bleu,chrf", 50, "scorer", {{"sampler.beam", "3"}}});
    service.start({{"c"}, "last", "valid", {}, 0});  // one at a time
    ASSERT_TRUE(said.wait());
    const std::string rest =
        " --project /p --checkpoint best --split test --save --metrics bleu,chrf --set sampler.beam=3 "
        "--scorer scorer "
        "--limit 50 "
        "--events";
    EXPECT_THAT(calls(), ElementsAre("eval a" + rest, "eval b" + rest));
    EXPECT_EQ(evaluated.count(), 2);
    QStringList texts;
    for (const auto& one : status) texts << one.front().value<views::EvaluationStatus>().text;
    EXPECT_TRUE(texts.contains(QStringLiteral("b: 64 of 300 pairs decoded")));
    EXPECT_FALSE(service.status().running);
}

TEST_F(EvaluationServiceTest, AFailureIsReportedByRunAndTheOthersAreScored) {
    const auto fails = [](const char* why) {
        return std::string("echo '{\"v\":1,\"type\":\"error\",\"message\":\"") + why + "\"}'; exit 2";
    };
    EvaluationService service(engine("case $2 in\n a|d) " + fails("there is no test split") + ";;\n c) " +
                                     fails("the run has no checkpoint yet") + ";;\nesac\n"),
                              "/p");
    QSignalSpy said(&service, &EvaluationService::said), evaluated(&service, &EvaluationService::evaluated);
    service.start({{"a", "b", "c", "d"}, "last", "test", {}, 0});
    ASSERT_TRUE(said.wait());
    EXPECT_THAT(calls(), ::testing::SizeIs(4));
    EXPECT_EQ(evaluated.count(), 1);
    EXPECT_FALSE(service.status().running);
    EXPECT_EQ(service.status().text,
              QStringLiteral("1 of 4 runs scored. Failed: a, d: there is no test split; c: the run has no "
                             "checkpoint yet"));
    service.start({{"a"}, "last", "test", {}, 0});
    ASSERT_TRUE(said.wait());
    EXPECT_EQ(service.status().text, QStringLiteral("there is no test split")) << "of this request only";
    service.start({{"b"}, "last", "test", {}, 0});
    ASSERT_TRUE(said.wait());
    EXPECT_THAT(service.status().text.toStdString(), ::testing::StartsWith("Done"));
}

TEST_F(EvaluationServiceTest, CancelEndsTheEngine) {
    EvaluationService service(engine("read line\nexit 130\n"), "/p");
    QSignalSpy said(&service, &EvaluationService::said);
    service.start({{"a", "b"}, "last", "valid", {}, 0});
    service.cancel();
    ASSERT_TRUE(said.wait());
    EXPECT_EQ(service.status().text, QStringLiteral("Cancelled."));
}

// While it scores, an engine finishes its run or is ended by a signal; the next run must not begin.
TEST_F(EvaluationServiceTest, CancelEndsAllRunsHoweverTheEngineEnds) {
    for (const char* script : {"read line\nexit 0\n", "exec sleep 100\n"}) {
        EvaluationService service(engine(script), "/p");
        QSignalSpy said(&service, &EvaluationService::said);
        service.start({{"a", "b"}, "last", "valid", {}, 0});
        service.cancel();
        ASSERT_TRUE(said.wait(30000)) << script;
        EXPECT_EQ(service.status().text, QStringLiteral("Cancelled."));
        EXPECT_FALSE(service.status().running);
        EXPECT_LE(calls().size(), 1U) << script;
        std::filesystem::remove(folder_ / "words");
    }
}

TEST_F(EvaluationServiceTest, TheFormRequestsTheChosenMetricsAndListsScores) {
    struct : views::Evaluations {
        void start(const views::EvaluationRequest& asked) override { requested.push_back(asked); }
        void cancel() override { ++cancelled; }
        std::vector<views::EvaluationRequest> requested;
        int cancelled = 0;
    } evaluations;
    const views::StudioContext context;
    context.services->offer<views::Evaluations>(evaluations);
    views::EvaluateForm form(context);
    auto* go = form.findChild<QPushButton*>(QStringLiteral("evaluate.go"));
    EXPECT_FALSE(go->isEnabled());
    store::RunSummary run;
    run.id = "a";
    run.metrics = {{"valid_bleu", 3}, {"eval_test_bleu", 71.25}, {"eval_valid_token-accuracy", 0.5}};
    form.setRuns({"a", "b"}, &run, nullptr);
    EXPECT_EQ(go->text(), QStringLiteral("Evaluate 2 runs"));
    auto* scores = form.findChild<QTreeWidget*>(QStringLiteral("evaluate.scores"));
    ASSERT_EQ(scores->topLevelItemCount(), 2);
    EXPECT_EQ(scores->topLevelItem(0)->text(0), QStringLiteral("test · bleu"));
    EXPECT_EQ(scores->topLevelItem(0)->text(1), QStringLiteral("71.25"));
    form.findChild<QComboBox*>(QStringLiteral("evaluate.split"))->setCurrentIndex(1);
    form.findChild<QComboBox*>(QStringLiteral("evaluate.metrics"))->setEditText(QStringLiteral("bleu, ppl"));
    go->click();
    ASSERT_EQ(evaluations.requested.size(), 1U);
    const auto& request = evaluations.requested.front();
    EXPECT_EQ(request.runs, (QStringList{"a", "b"}));
    EXPECT_EQ(request.split, QStringLiteral("test"));
    EXPECT_EQ(request.metrics, QStringLiteral("bleu,ppl"));
    EXPECT_EQ(request.checkpoint, QStringLiteral("last"));
    auto schema = std::make_shared<Schema>();
    schema->title = "Coin";
    schema->fields = {realField("sampler.temperature", 1.0, "flatter above 1").range(0.01, 10)};
    form.setSampler(nullptr, schema);
    auto& settings = *form.findChild<views::SamplerSettings*>();
    settings.set(QStringLiteral("sampler.temperature"), QStringLiteral("0.7"));
    EXPECT_EQ(form.request().settings, (QMap<QString, QString>{{"sampler.temperature", "0.7"}}));
    settings.set(QStringLiteral("sampler.temperature"), QStringLiteral("70"));
    EXPECT_FALSE(go->isEnabled()) << "a value out of its range is an error of its field";
    settings.remove(QStringLiteral("sampler.temperature"));
    EXPECT_TRUE(go->isEnabled());
    EXPECT_EQ(form.request().scorer, QString());
    form.setScorers({{"t", "teacher", {}}, {"u", "other", {}}});
    auto* scorer = form.findChild<QComboBox*>(QStringLiteral("evaluate.scorer"));
    scorer->setCurrentIndex(2);
    form.setScorers({{"n", "newer", {}}, {"t", "teacher", {}}, {"u", "other", {}}});
    EXPECT_EQ(form.request().scorer, QStringLiteral("u")) << "the choice stays";
    Q_EMIT evaluations.statusChanged({true, "a: loading the model…"});
    EXPECT_EQ(go->text(), QStringLiteral("Cancel"));
    go->click();
    EXPECT_EQ(evaluations.cancelled, 1);
}

}  // namespace
}  // namespace kurve::studio
