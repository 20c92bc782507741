#include "views/candidates/candidates_panel.h"
#include "tests/support/fake_services.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "core/metrics/metric.h"
#include "core/trace/candidates.h"
#include "tests/support/chunk_trace.h"
#include "tests/support/gui_app.h"
#include "views/candidates/candidate_model.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/table/view_table.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

using Traced = std::shared_ptr<const trace::Trace>;

Traced traced(const std::vector<trace::TextCandidate>& candidates, const std::string& selection,
              const std::string& reference = "the cat sat on the mat") {
    auto made = std::make_shared<trace::Trace>();
    made->meta = {{"run", "r"},
                  {"checkpoint_step", "400"},
                  {"seed", "1"},
                  {"prompt", "in"},
                  {"reference", reference},
                  {"output", candidates.empty() ? "alone" : candidates.front().text},
                  {"sampler", R"({"sampler.selection":")" + selection + R"(","sampler.length_beam":3})"}};
    if (!candidates.empty()) made->meta["candidates"] = trace::candidatesJson(candidates).dump();
    return made;
}

Traced byLikelihood() {
    return traced({{"the cat sat on a mat", -0.25, 1, 6},
                   {"the cat sat", -0.5, 0, 3},
                   {"the cat sat sat on a mat", -0.75, 2, 7}},
                  "likelihood");
}
Traced byScorer() {
    return traced({{"the cat sat", -1.5, 0, 3},
                   {"the cat sat on a mat", -2, 1, 6},
                   {"a cat", -std::numeric_limits<double>::infinity(), 3, 2}},
                  "ppl");
}

class CandidateModelTest : public ::testing::Test {
protected:
    CandidateModelTest() { applyTheme(ThemeMode::Light, 1.0); }
    [[nodiscard]] QString cell(int row, CandidateModel::Column column, int role = Qt::DisplayRole) const {
        const int at = model_.shownAt(column);
        return at < 0 ? QStringLiteral("no column") : model_.index(row, at).data(role).toString();
    }
    QApplication& app_ = test::guiApp();
    CandidateModel model_;
};

TEST_F(CandidateModelTest, IsAValidItemModel) {
    QAbstractItemModelTester tester(&model_, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model_.setTraces(byLikelihood(), byScorer());
    model_.setTraces(nullptr, byScorer());
    EXPECT_EQ(model_.rowCount(), 0);
    model_.setTraces(byLikelihood(), nullptr);
}

TEST_F(CandidateModelTest, ListsCandidatesInTheSelectorsOrder) {
    model_.setTraces(byLikelihood(), nullptr);
    ASSERT_EQ(model_.rowCount(), 3);
    EXPECT_EQ(model_.shownAt(CandidateModel::RankB), -1);
    EXPECT_EQ(cell(0, CandidateModel::RankA), "✔ 1");
    EXPECT_EQ(cell(1, CandidateModel::RankA), "2");
    EXPECT_EQ(cell(2, CandidateModel::ScoreA, kExportRole), "-0.75");
    EXPECT_EQ(cell(2, CandidateModel::Tokens), "7");
    EXPECT_EQ(model_.index(1, model_.shownAt(CandidateModel::Bleu)).data(kExportRole).toDouble(),
              metrics::sentenceBleu("the cat sat", "the cat sat on the mat"));
    EXPECT_EQ(model_.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), "rank");
    ASSERT_TRUE(model_.beamIndex(2));
    EXPECT_EQ(model_.beamIndex(2)->number, 2);
    EXPECT_FALSE(model_.beamIndex(2)->ofB);
    EXPECT_FALSE(model_.beamIndex(3));
}

TEST_F(CandidateModelTest, MarksWordsThatAreNotInTheSelectedTextOrTheReference) {
    model_.setTraces(byLikelihood(), nullptr);
    const QString chosen = cell(0, CandidateModel::Text, CandidateModel::HtmlRole),
                  repeated = cell(2, CandidateModel::Text, CandidateModel::HtmlRole);
    EXPECT_FALSE(chosen.contains("background:")) << "against itself";
    EXPECT_TRUE(chosen.contains("underline;\">a</span>")) << chosen.toStdString();
    EXPECT_EQ(chosen.count("underline"), 1);
    EXPECT_EQ(repeated.count("background:"), 1) << "one sat too many";
    EXPECT_EQ(repeated.count("underline"), 2) << repeated.toStdString();
    model_.setTraces(traced({{"a <b>", -1, 0, 2}, {"c", -2, 1, 1}}, "likelihood", ""), nullptr);
    EXPECT_EQ(model_.shownAt(CandidateModel::Bleu), -1);
    EXPECT_TRUE(cell(0, CandidateModel::Text, CandidateModel::HtmlRole).contains("a &lt;b&gt;"));
    EXPECT_FALSE(cell(0, CandidateModel::Text, CandidateModel::HtmlRole).contains("underline"));
}

TEST_F(CandidateModelTest, TwoSelectorsAreComparedByText) {
    model_.setTraces(byLikelihood(), byScorer());
    ASSERT_EQ(model_.rowCount(), 4);
    EXPECT_EQ(cell(0, CandidateModel::RankB), "2");
    EXPECT_EQ(cell(1, CandidateModel::RankB), "✔ 1") << "selected in B";
    EXPECT_EQ(cell(2, CandidateModel::RankB), "–") << "A's only";
    EXPECT_EQ(cell(3, CandidateModel::RankA), "–") << "B's only";
    EXPECT_EQ(cell(3, CandidateModel::ScoreB), "–") << "not scored";
    EXPECT_EQ(cell(3, CandidateModel::Text), "a cat");
    EXPECT_TRUE(model_.beamIndex(3)->ofB);
    EXPECT_EQ(model_.beamIndex(3)->number, 3);
}

TEST_F(CandidateModelTest, ATraceOfAnotherCandidateHasItsRankByScore) {
    model_.setTraces(traced({{"second", -2, 1, 1}, {"best", -1, 0, 1}, {"third", -3, 2, 1}}, "likelihood"),
                     nullptr);
    EXPECT_EQ(cell(0, CandidateModel::RankA), "✔ 2");
    EXPECT_EQ(cell(1, CandidateModel::RankA), "1");
}

TEST_F(CandidateModelTest, AnOnlyOutputIsListed) {
    model_.setTraces(traced({}, "likelihood"), nullptr);
    ASSERT_EQ(model_.rowCount(), 1);
    EXPECT_EQ(cell(0, CandidateModel::Text), "alone");
    EXPECT_EQ(cell(0, CandidateModel::ScoreA), "–");
    EXPECT_EQ(cell(0, CandidateModel::Tokens), "–");
}

class CandidatesPanelTest : public ::testing::Test {
protected:
    CandidatesPanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        context_.commands = &commands_;
        context_.selection = &selection_;
        panel_ = std::make_unique<CandidatesPanel>(context_);
        panel_->resize(800, 300);
        panel_->show();
    }
    QApplication& app_ = test::guiApp();
    CommandRegistry commands_;
    Selection selection_;
    StudioContext context_;
    std::unique_ptr<CandidatesPanel> panel_;
};

TEST_F(CandidatesPanelTest, FollowsTheOpenTraceAndB) {
    EXPECT_FALSE(panel_->hasData());
    selection_.setTrace(byLikelihood());
    EXPECT_TRUE(panel_->hasData());
    auto* head = panel_->findChild<QLabel*>("candidates.head");
    EXPECT_TRUE(head->text().contains("selection likelihood")) << head->text().toStdString();
    commands_.action("candidates.pin")->trigger();
    selection_.setTrace(byScorer());
    EXPECT_EQ(panel_->model()->rowCount(), 4);
    EXPECT_TRUE(head->text().contains("selection: A ppl, B likelihood")) << head->text().toStdString();
    EXPECT_FALSE(head->text().contains("length beam: A")) << "same in both";
    const auto tables = tablesOf(*panel_);
    ASSERT_EQ(tables.size(), 1U);
    EXPECT_EQ(tables[0].columns,
              (QStringList{"A", "score A", "B", "score B", "tokens", "BLEU", "chrF", "Text"}));
    EXPECT_TRUE(QString::fromUtf8(tablesText(tables, "csv", {})).contains("1,-1.5,2,-0.5,3,"))
        << tablesText(tables, "csv", {}).toStdString();
    commands_.action("candidates.end")->trigger();
    EXPECT_EQ(panel_->model()->rowCount(), 3);
}

TEST_F(CandidatesPanelTest, ATraceOfChunksListsItsOutput) {
    selection_.setTrace(std::make_shared<const trace::Trace>(test::chunkTrace()));
    ASSERT_EQ(panel_->model()->rowCount(), 1);
    const int text = panel_->model()->shownAt(CandidateModel::Text);
    EXPECT_EQ(panel_->model()->index(0, text).data().toString().toStdString(), "a b c d e f");
}

TEST_F(CandidatesPanelTest, AdvisesTheBeamsThatTheSamplerHas) {
    auto* head = panel_->findChild<QLabel*>("candidates.head");
    selection_.setTrace(traced({}, "likelihood"));
    EXPECT_TRUE(head->text().contains("increase length beam in the prompt bar"))
        << head->text().toStdString();
    auto sentences = std::make_shared<trace::Trace>(*traced({}, "likelihood"));
    sentences->meta["sampler"] = R"({"sampler.steps":40})";
    selection_.setTrace(sentences);
    EXPECT_TRUE(head->text().contains("this sampler has no beam")) << head->text().toStdString();
    EXPECT_FALSE(head->text().contains("increase")) << head->text().toStdString();
}

TEST_F(CandidatesPanelTest, AnyCandidateCanBeTraced) {
    selection_.setTrace(byLikelihood());
    const auto a = selection_.trace();
    test::FakeServices services;
    services.offerTo(context_);
    const auto& requested = services.prompts.requests;
    auto* table = panel_->findChild<QTableView*>("candidates.table");
    table->selectRow(1);
    commands_.action("candidates.denoise")->trigger();
    ASSERT_EQ(requested.size(), 1U);
    EXPECT_EQ(services.prompts.of, a.get());
    EXPECT_EQ(requested[0].candidate, 0);
    EXPECT_EQ(selection_.reference(), nullptr);
    table->selectRow(2);
    commands_.action("candidates.beside")->trigger();
    ASSERT_EQ(requested.size(), 2U);
    EXPECT_EQ(services.prompts.of, a.get());
    EXPECT_EQ(requested[1].candidate, 2);
    EXPECT_EQ(selection_.reference(), a) << "the previously open trace";
}

}  // namespace
}  // namespace kurve::views
