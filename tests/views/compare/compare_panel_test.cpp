// The panel on a real project folder with written runs, drawn off screen. KURVE_PICTURES=DIR keeps what it
// drew.
#include "views/compare/compare_panel.h"
#include "tests/support/drawn_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextDocument>
#include <utility>

#include "core/store/run_writer.h"
#include "tests/views/compare/compare_panel_fixture.h"
#include "views/common/chart/line_chart.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/compare/sample_cells.h"
#include "views/compare/sample_matrix.h"

namespace kurve::views {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
TEST_F(ComparePanelTest, ARowOfOutputsIsAsHighAsWhatIsPaintedInIt) {
    addRuns(600);
    openPanel();
    compareBoth();
    auto* table = child<QTableView>("compare.samples");
    const QModelIndex cell = table->model()->index(0, 1);
    int wraps = 0;
    double last = 0;
    for (int width = 60; width < 420; ++width) {
        table->setColumnWidth(1, width);
        QTextDocument words;
        words.setDocumentMargin(0);
        words.setDefaultFont(table->font());
        words.setTextWidth(table->visualRect(cell).width() - 2 * px(8));
        words.setHtml(cell.data(SampleHtmlRole).toString());
        wraps += std::exchange(last, words.size().height()) != words.size().height();
        QStyleOptionViewItem option;
        option.widget = table;
        option.font = table->font();
        EXPECT_GE(table->itemDelegate()->sizeHint(option, cell).height(), words.size().height() + px(5))
            << width;
    }
    EXPECT_GT(wraps, 2);
}

// A run that trains refreshes the page several times a second.
TEST_F(ComparePanelTest, ARefreshKeepsTheSelectedCell) {
    addRuns(600);
    openPanel();
    compareBoth();
    for (const char* table : {"compare.settings", "compare.metrics", "compare.samples"}) {
        auto* view = child<QTableView>(table);
        view->setCurrentIndex(view->model()->index(0, 2));
        panel_->engineInfoChanged();
        EXPECT_EQ(view->currentIndex(), view->model()->index(0, 2)) << table;
    }
}

TEST_F(ComparePanelTest, TheEmptyStateSaysWhatToDo) {
    openPanel();
    EXPECT_FALSE(panel_->hasData());
    EXPECT_TRUE(child<QPushButton>("empty.action")->isHidden());
    EXPECT_THAT(panel_->statement().toStdString(), HasSubstr("two or more runs"));
}

TEST_F(ComparePanelTest, OffersTheTwoNewestRuns) {
    addRuns(300);
    openPanel();
    keepPicture(QStringLiteral("compare-empty.png"));
    auto* button = child<QPushButton>("empty.action");
    ASSERT_FALSE(button->isHidden());
    button->click();
    EXPECT_EQ(selection_.runs(), QStringList({"a", "b"}));
    EXPECT_TRUE(test::waitFor([&] { return panel_->hasData(); }));
}

TEST_F(ComparePanelTest, ShowsOnlyTheSettingsThatDiffer) {
    addRuns(300);
    openPanel();
    compareBoth();
    auto* model = child<QTableView>("compare.settings")->model();
    ASSERT_EQ(model->rowCount(), 1);
    EXPECT_EQ(model->index(0, 0).data().toString(), "map.rho");
    EXPECT_EQ(model->index(0, 2).data().toString(), "2");
    EXPECT_EQ(model->headerData(1, Qt::Horizontal).toString(), "restore-difformer");
    EXPECT_EQ(model->index(0, 0).data(Qt::ToolTipRole).toString(), "control points per word");
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
}

TEST_F(ComparePanelTest, FinalMetricsHaveDifferencesToTheFirstRun) {
    addRuns();
    openPanel();
    compareBoth();
    auto* model = child<QTableView>("compare.metrics")->model();
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->index(row, 0).data().toString() != "BLEU") continue;
        // 62 (1 - e^(-3000/900)) = 59.79 and 62 (1 - e^(-3900/900)) = 61.19
        EXPECT_EQ(model->index(row, 1).data().toString(), "59.79");
        EXPECT_EQ(model->index(row, 2).data().toString(), QStringLiteral("61.19   ▲ 1.4"));
        EXPECT_EQ(model->index(row, 2).data(Qt::ForegroundRole).value<QColor>(), theme().good);
        return;
    }
    FAIL() << "no row for BLEU";
}

TEST_F(ComparePanelTest, ADivergedRunShowsNaN) {
    addRuns();
    (*store::RunWriter::open(root() / "runs" / "b"))
        ->scalar("valid_bleu", 3250, 1.7e9 + 300, std::numeric_limits<double>::quiet_NaN());
    openPanel();
    compareBoth();
    auto* model = child<QTableView>("compare.metrics")->model();
    const auto bleu = [&] {
        int row = 0;
        while (row < model->rowCount() && model->index(row, 0).data().toString() != "BLEU") ++row;
        return model->index(row, 2);
    };
    EXPECT_TRUE(test::waitFor([&] { return bleu().data().toString() == "NaN"; }))
        << bleu().data().toString().toStdString();
    EXPECT_EQ(bleu().data(Qt::ForegroundRole).value<QColor>(), theme().bad);
    auto* group = child<QComboBox>("compare.group");
    group->setCurrentIndex(group->findData("*"));
    Q_EMIT group->activated(group->currentIndex());
    const auto* groups = child<QTableView>("compare.groups")->model();
    bool stated = false;
    for (int column = 0; column < groups->columnCount(); ++column)
        stated |= groups->index(0, column).data().toString().contains("59.79");
    EXPECT_TRUE(stated) << "a mean is of the runs that have a value";
}

TEST_F(ComparePanelTest, BChangesTheBaselineAndTheReportFollows) {
    addRuns();
    openPanel();
    compareBoth();
    commands_.action("compare.baseline")->trigger();
    EXPECT_EQ(panel_->baseline(), "b");
    auto* model = child<QTableView>("compare.metrics")->model();
    EXPECT_EQ(model->headerData(1, Qt::Horizontal).toString(), "restore-sclm");
    bool found = false;
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->index(row, 0).data().toString() != "BLEU") continue;
        found = true;
        EXPECT_EQ(model->index(row, 2).data().toString(), QStringLiteral("59.79   ▼ 1.4"));
        EXPECT_EQ(model->index(row, 2).data(Qt::ForegroundRole).value<QColor>(), theme().bad);
    }
    EXPECT_TRUE(found);
    child<QPushButton>("compare.report")->click();
    EXPECT_EQ(files_.reported, QStringList({"b", "a"}));
}

TEST(SampleCells, AnEmptyOutputWithoutAReferenceIsNotExact) {
    test::guiApp();
    const auto data = std::make_shared<RunData>();
    data->samples.push_back({100, 0, "", "", "", 0, {}});
    data->samples.push_back({100, 1, "in", "out", "out", 0, {}});
    const auto rows = sampleCells({{"a", "a", data, {}, {}, {}}}, {});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_FALSE(rows[0][1].value(SampleHtmlRole).toString().contains("exact"));
    EXPECT_TRUE(rows[1][1].value(SampleHtmlRole).toString().contains("exact"));
}

TEST_F(ComparePanelTest, ChoicesAreRestored) {
    addRuns();
    openPanel();
    compareBoth();
    for (const auto& [box, id] : {std::pair{"compare.metric", "loss"}, {"compare.axis", "tokens"}}) {
        auto* chooser = child<QComboBox>(box);
        chooser->setCurrentIndex(chooser->findData(id));
        Q_EMIT chooser->activated(chooser->currentIndex());
    }
    child<LineChart>("compare.chart")->setKeyScale(LineChart::Scale::SymLog);
    panel_->setBaseline("b");
    const QJsonObject saved = panel_->saveState();
    panel_.reset();
    selection_.setRuns({});
    openPanel();
    panel_->restoreState(saved);  // before the runs have been read
    compareBoth();
    EXPECT_EQ(panel_->baseline(), "b");
    EXPECT_EQ(child<QComboBox>("compare.metric")->currentData(), "loss");
    EXPECT_EQ(child<QComboBox>("compare.axis")->currentData(), "tokens");
    EXPECT_EQ(child<LineChart>("compare.chart")->keyScale(), LineChart::Scale::SymLog);
    EXPECT_EQ(test::curveIds(*child<LineChart>("compare.chart")).first(), "000 b");
    EXPECT_EQ(panel_->saveState(), saved);
}

TEST_F(ComparePanelTest, TheWordDiffIsAgainstTheReference) {
    addRuns(500);
    openPanel();
    compareBoth();
    EXPECT_THAT(cellHtml(0, 1), HasSubstr("exact, step"));
    EXPECT_THAT(cellHtml(0, 1), Not(HasSubstr(theme().added.name().toStdString())));
    EXPECT_THAT(cellHtml(0, 2), HasSubstr(theme().added.name().toStdString()));
}

TEST_F(ComparePanelTest, FollowsThePlayheadIfChecked) {
    addRuns(1000);
    openPanel();
    compareBoth();
    EXPECT_THAT(cellHtml(0, 1), HasSubstr(countText(1000).toStdString()));
    child<QCheckBox>("compare.follow")->setChecked(true);
    playhead_.setTrainStep(600);
    EXPECT_THAT(cellHtml(0, 1), HasSubstr("step 500"));
    playhead_.setTrainStep(10);
    EXPECT_THAT(cellHtml(0, 1), HasSubstr("no output"));
}

TEST_F(ComparePanelTest, TheWordDiffIsAgainstAnotherRun) {
    addRuns(500);
    openPanel();
    compareBoth();
    auto* against = child<QComboBox>("compare.against");
    ASSERT_EQ(against->count(), 3) << "the reference, the baseline and the other run";
    against->setCurrentIndex(2);
    Q_EMIT against->activated(2);
    const std::string added = theme().added.name().toStdString();
    EXPECT_THAT(cellHtml(0, 2), Not(HasSubstr(added))) << "a run against itself";
    EXPECT_THAT(cellHtml(0, 1), HasSubstr("<span style=\"background:" + added + "\">them abroad.</span>"));
    EXPECT_THAT(cellHtml(0, 1), HasSubstr(">scattered abroad</s>")) << "which only the other run has";
    const QJsonObject saved = panel_->saveState().value("prompts").toObject();
    EXPECT_EQ(saved.value("diff_against").toString(), "b");
}

TEST_F(ComparePanelTest, ACellOpensItsTraceAndTwoOpenSideBySide) {
    addRuns(1000);
    openPanel();
    compareBoth();
    auto* matrix = child<SampleMatrix>("compare.samples");
    QSignalSpy said(panel_.get(), &Panel::statusMessage);
    panel_->activateWindow();
    matrix->setFocus();
    matrix->setCurrentIndex(matrix->model()->index(0, 0));
    commands_.action("compare.open_trace")->trigger();
    EXPECT_TRUE(services_.opened.isEmpty()) << "the prompt itself has no trace";
    EXPECT_EQ(said.count(), 1);
    QTest::keyClick(matrix, Qt::Key_Right);
    QTest::keyClick(matrix, Qt::Key_Right);
    commands_.action("compare.open_trace")->trigger();
    EXPECT_EQ(services_.opened, QStringList{"b traces/step-1000.safetensors"});
    EXPECT_FALSE(child<QPushButton>("compare.beside")->isEnabled());
    const QRect first = matrix->visualRect(matrix->model()->index(0, 1));
    QTest::mouseClick(matrix->viewport(), Qt::LeftButton, Qt::ControlModifier, first.center());
    EXPECT_TRUE(child<QPushButton>("compare.beside")->isEnabled());
    child<QPushButton>("compare.beside")->click();
    EXPECT_TRUE(services_.opened.value(1).startsWith("a ")) << "in the order of the columns";
    ASSERT_EQ(services_.beside.size(), 1);
    EXPECT_TRUE(services_.beside[0].startsWith("b "));
}

TEST_F(ComparePanelTest, AnOutputWithoutATraceSaysSo) {
    addRuns(750);  // the evaluation at 750 recorded nothing
    openPanel();
    compareBoth();
    EXPECT_THAT(cellHtml(0, 1), HasSubstr("no trace"));
    auto* matrix = child<SampleMatrix>("compare.samples");
    matrix->setCurrentIndex(matrix->model()->index(0, 1));
    QSignalSpy said(panel_.get(), &Panel::statusMessage);
    matrix->openCurrent();
    EXPECT_TRUE(services_.opened.isEmpty());
    EXPECT_EQ(said.count(), 1);
}

TEST_F(ComparePanelTest, ReturnsToItsEmptyStateWithOneRun) {
    addRuns(300);
    openPanel();
    compareBoth();
    selection_.setRuns({QStringLiteral("a")});
    EXPECT_FALSE(panel_->hasData());
}

TEST_F(ComparePanelTest, EveryControlHasAnAccessibleName) {
    addRuns(300);
    openPanel();
    for (const char* name : {"compare.metric", "compare.axis", "compare.chart", "compare.chart.logx",
                             "compare.smoothing", "compare.settings", "compare.metrics", "compare.samples"}) {
        auto* widget = child<QWidget>(name);
        ASSERT_NE(widget, nullptr) << name;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << name;
    }
}

}  // namespace
}  // namespace kurve::views
