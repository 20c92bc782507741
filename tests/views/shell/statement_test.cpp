// The statement line of a view.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QTest>
#include <QVBoxLayout>
#include <cmath>

#include "core/store/run_writer.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/studio_parts.h"
#include "views/common/text/statement_line.h"
#include "views/common/theme/theme.h"
#include "views/monitor/monitor_panel.h"
#include "views/samples/samples_panel.h"

namespace kurve::views {
namespace {

class ToldPanel : public Panel {
public:
    ToldPanel() : Panel("told", "Told", {}), content_(new QWidget) {
        content_->setMinimumHeight(40);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(content_);
        line_ = new StatementLine(*this, this);
        layout->addWidget(line_);
    }
    bool hasData() const override { return true; }
    QString statement() const override {
        ++asked_;
        return text_;
    }
    QString text_ = "Step 1 of 3.";
    QWidget* content_;
    StatementLine* line_;
    mutable int asked_ = 0;
};

class PaintCount : public QObject {
public:
    int count = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::Paint;
        return false;
    }
};

class StatementLineTest : public ::testing::Test {
protected:
    void SetUp() override {
        applyTheme(ThemeMode::Light, 1.0);
        panel_ = new ToldPanel;
        panel_->setParent(&window_);
        panel_->resize(500, 400);
        panel_->show();
        window_.resize(600, 500);
        window_.show();
        QCoreApplication::processEvents();
    }
    QApplication& app_ = test::guiApp();  // before the first widget
    QWidget window_;                      // lays nothing out: a panel may be lower than it likes
    ToldPanel* panel_ = nullptr;
};

TEST_F(StatementLineTest, UpdatesOnPaintingAtMostTwiceASecond) {
    PaintCount paints;
    panel_->line_->installEventFilter(&paints);
    QTest::qWait(600);  // what the window's own first picture asks
    paints.count = 0;
    const int before = panel_->asked_;
    for (int i = 0; i < 20; ++i) {
        panel_->content_->update();
        QTest::qWait(5);
    }
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel_->asked_ > before; }, 10000));
    EXPECT_EQ(panel_->asked_, before + 1);
    EXPECT_EQ(paints.count, 0) << "the same text";
    panel_->text_ = "Step 2 of 3.";
    panel_->content_->update();
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel_->line_->text() == "Step 2 of 3."; }, 10000));
    EXPECT_EQ(panel_->accessibleDescription(), "Step 2 of 3.");
    EXPECT_TRUE(QTest::qWaitFor([&] { return paints.count > 0; }, 10000));
}

TEST_F(StatementLineTest, NoUpdatesInAnIdleWindowOrAHiddenPanel) {
    QTest::qWait(1200);
    const int idle = panel_->asked_;
    QTest::qWait(1200);
    EXPECT_EQ(panel_->asked_, idle);
    panel_->hide();
    for (int i = 0; i < 3; ++i) {
        window_.update();
        QTest::qWait(300);
    }
    EXPECT_EQ(panel_->asked_, idle) << "not visible";
}

class StatementsTest : public ::testing::Test, public test::StudioParts {
protected:
    void SetUp() override {
        kurve::testing::writeSyntheticProject(root());
        engine_ = *EngineInfo::fromJson(nlohmann::json::parse(kurve::testing::syntheticDescription()));
        addRun("good", 1.5, "yes");
        addRun("bad", 2.5, "no");
        addRun("falls", 10, "no", -0.005);
        addRun("diverged", std::nan(""), "no");
        open();
    }
    void addRun(const std::string& id, double loss, const char* output, double slope = 0) {
        auto run = *store::RunWriter::open(runFolder(id));
        for (const char* key : {"id", "name"}) run->set(key, id);
        run->set("state", "completed");
        run->beginSegment(1, "started");
        for (int step = 100; step <= 1200; step += 100) {
            run->scalar("loss", step, 1000 + step, loss + slope * step);
            run->scalar("lr", step, 1000 + step, 1.0 / step);
        }
        run->sample({1200, 0, "one", output, "yes", 0, {}});
        run->sample({1200, 1, "two", "two", "other", 0, {}});
        run->sample({1200, 2, "three", "same", "same", 0, {}});
    }
};

TEST_F(StatementsTest, TheMonitorStatesLastValuesOfOneRunAndTheBestOfSeveral) {
    MonitorPanel panel(context_);
    EXPECT_EQ(panel.statement(), "No run selected.");
    selection_.setRuns({"bad"});
    const auto tells = [&](const char* part) {
        return QTest::qWaitFor([&] { return panel.statement().contains(QString::fromUtf8(part)); }, 30000);
    };
    EXPECT_TRUE(tells("bad at step 1\u2009200: ") && tells(" 2.5")) << panel.statement().toStdString();
    selection_.setRuns({"bad", "good"});
    EXPECT_TRUE(tells("2 runs; best last values: ") && tells(" 1.5 (good"))
        << panel.statement().toStdString() << ": a loss is better where it is less";
    EXPECT_TRUE(panel.statement().contains(" 1.5 (good, EMA ")) << "an average, and says so";
    selection_.setRuns({"bad"});
    EXPECT_TRUE(tells(" 2.5 (EMA ")) << panel.statement().toStdString();
    selection_.setRuns({"bad", "good"});
    selection_.hideRuns({"good"}, true);
    EXPECT_TRUE(panel.statement().startsWith("bad at") && panel.statement().endsWith(" 1 hidden."))
        << panel.statement().toStdString();
}

TEST_F(StatementsTest, TheMonitorStatesLastValuesAlsoWhereTheAxisFalls) {
    MonitorPanel panel(context_);
    selection_.setRuns({"falls"});
    auto* axis = panel.findChild<QComboBox*>("monitor.axis");
    ASSERT_TRUE(QTest::qWaitFor([&] { return axis->findData("metric:lr") >= 0; }, 30000));
    axis->setCurrentIndex(axis->findData("metric:lr"));
    Q_EMIT axis->activated(axis->currentIndex());
    EXPECT_TRUE(panel.statement().endsWith(" 4.")) << panel.statement().toStdString();
}

TEST_F(StatementsTest, TheMonitorStatesThatARunDiverged) {
    MonitorPanel panel(context_);
    selection_.setRuns({"diverged"});
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel.statement().endsWith(" NaN."); }, 30000))
        << panel.statement().toStdString();
}

TEST_F(StatementsTest, SamplesAreCountedAgainstTheirReferences) {
    SamplesPanel panel(context_);
    EXPECT_EQ(panel.statement(), "No outputs of the fixed prompts.");
    selection_.setRuns({"good"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel.hasData(); }, 30000));
    EXPECT_EQ(
        panel.statement(),
        QString("3 outputs at step %1, evaluation 1 of 1; 2 identical to the reference.").arg("1\u2009200"));
}

}  // namespace
}  // namespace kurve::views
