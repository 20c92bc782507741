// What a crash leaves: a copy of the project as it lies on disk while the window still stands is opened anew.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "core/base/file.h"
#include "tests/app/studio/large_screen.h"
#include "tests/app/studio/window_fixture.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/theme/theme.h"
#include "views/launch/launch_panel.h"
#include "views/prompt/prompt_panel.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/runs_panel.h"

namespace kurve::studio {
namespace {

namespace fs = std::filesystem;
const char* const kFirst = "20261120-100000-0001";
const char* const kSecond = "20261120-110000-0002";

TEST(StateFile, IsWrittenWhileItsStateGoesOnChanging) {
    test::guiApp();
    const testing::TemporaryFolder folder;
    StateFile file((folder / "state.json").string());
    QTimer changes;
    int step = 0;
    QObject::connect(&changes, &QTimer::timeout, [&] { file.put({{"step", ++step}}); });
    changes.start(50);
    EXPECT_TRUE(QTest::qWaitFor([&] { return fs::exists(folder / "state.json"); }, 10000)) << step;
}

class RestoreTest : public WindowTest {
protected:
    [[nodiscard]] fs::path sessionFile() const { return project_.path() / "layouts" / "session.json"; }
    /// The session file holds what was changed last.
    bool written(const char* text) {
        return soon([&] {
            const auto now = readFile(sessionFile().string());
            return now && now->find(text) != std::string::npos;
        });
    }
    std::unique_ptr<StudioApp> openCopy(std::optional<WorkspaceId> workspace = {},
                                        const QStringList& runs = {}) {
        fs::copy(project_.path(), copy_.path() / "p", fs::copy_options::recursive);
        StudioOptions options;
        options.project = QString::fromStdString((copy_.path() / "p").string());
        options.theme = views::ThemeMode::Light;
        options.workspace = workspace;
        options.runs = runs;
        auto app = std::make_unique<StudioApp>(options);
        app->start();
        EXPECT_TRUE(soon([&] { return !app->session()->engine.info().families().empty(); }));
        return app;
    }
    testing::TemporaryFolder copy_;
};

TEST_F(RestoreTest, DraftSelectionAndLocationAreRestored) {
    QColor colour;
    std::string file;
    QString scatterAxis;
    int step = 0;
    fs::create_directories(project_.path() / "runs" / kFirst / "traces");
    ASSERT_TRUE(trace::writeTrace(project_.path() / "runs" / kFirst / "traces/t.safetensors",
                                  test::syntheticTrace({})));
    {
        auto app = open();
        MainWindow& window = *app->window();
        app->session()->selection.setRuns({kSecond, kFirst});
        app->session()->catalog.assignFirstStyles({kSecond});
        colour = views::categoryColor(0);
        ASSERT_TRUE(soon([&] { return views::runStyle(kSecond).color == colour; }));
        auto& runs = panelOf<views::RunsPanel>(*app, "runs");
        runs.setFilterText("first");
        runs.findChild<QTableView*>()->horizontalHeader()->resizeSection(1, 173);
        panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch")
            ->draft()
            .setValue("model.layers", "4");
        window.openWorkspace(WorkspaceId::Compare);
        window.findChild<QPlainTextEdit*>("query.sql")->setPlainText("SELECT 42 AS answer");
        window.findChild<QSpinBox*>("frontier.seeds")->setValue(7);
        auto* scatter = window.findChild<QComboBox*>("explore.x");
        ASSERT_TRUE(soon([&] { return scatter->count() > 1; }));
        scatter->setCurrentIndex(scatter->currentIndex() == 0 ? 1 : 0);
        Q_EMIT scatter->activated(scatter->currentIndex());
        scatterAxis = scatter->currentText();
        window.openWorkspace(WorkspaceId::Inspect);
        app->session()->selection.setRuns({kFirst, kSecond});
        window.traces().open(kFirst, "traces/t.safetensors");
        ASSERT_TRUE(soon([&] { return app->session()->selection.trace() != nullptr; }));
        file = app->session()->selection.trace()->file.filename().string();
        window.findChild<QLineEdit*>("prompt.text")->setText("a prompt that was never sent");
        window.findChild<QSpinBox*>("prompt.seed")->setValue(77);
        step = app->session()->playhead.denoiseSteps() / 3;
        ASSERT_TRUE(soon([&] { return app->session()->panelState("runs") == runs.saveState(); }));
        app->session()->playhead.setDenoiseStep(step);
        app->session()->playhead.setTrainStep(123);
        ASSERT_TRUE(written("\"train_step\": 123"));
        auto crashed = openCopy();  // while the first one knows nothing of an end
        const auto& session = *crashed->session();
        MainWindow& again = *crashed->window();
        EXPECT_THAT(session.selection.runs(), ::testing::ElementsAre(kFirst, kSecond));
        EXPECT_TRUE(soon([&] { return views::runStyle(kSecond).color == colour; }));
        EXPECT_TRUE(again.workspace(WorkspaceId::Inspect).isVisible());
        EXPECT_EQ(again.panel("runs")->findChild<QTableView*>()->horizontalHeader()->sectionSize(1), 173);
        EXPECT_EQ(again.findChild<QLineEdit*>("prompt.text")->text(), "a prompt that was never sent");
        EXPECT_EQ(again.findChild<QSpinBox*>("prompt.seed")->value(), 77);
        EXPECT_TRUE(soon([&] { return session.selection.trace() != nullptr; }));
        EXPECT_EQ(session.selection.trace()->file.filename().string(), file);
        EXPECT_TRUE(soon([&] { return session.playhead.denoiseStep() == step; }));
        EXPECT_TRUE(soon([&] { return session.playhead.trainStep() == 123; }))
            << session.playhead.trainStep();
        again.openWorkspace(WorkspaceId::Compare);
        EXPECT_EQ(again.findChild<QPlainTextEdit*>("query.sql")->toPlainText(), "SELECT 42 AS answer");
        EXPECT_EQ(again.findChild<QSpinBox*>("frontier.seeds")->value(), 7);
        EXPECT_TRUE(
            soon([&] { return again.findChild<QComboBox*>("explore.x")->currentText() == scatterAxis; }));
        again.openWorkspace(WorkspaceId::Train);
        EXPECT_EQ(panelOf<views::LaunchPanel>(*crashed, WorkspaceId::Train, "launch")
                      ->draft()
                      .valueText("model.layers"),
                  "4");
    }
}

void dragBorderBelow(Workspace& space, const char* id, int by) {
    const QRect before = space.dock(id)->geometry();
    const QPoint border(before.center().x(), before.bottom() + 2);
    QTest::mousePress(&space, Qt::LeftButton, {}, border);
    QTest::mouseMove(&space, border + QPoint(0, by));
    const auto moved = [&] {
        return std::abs(space.dock(id)->geometry().bottom() - before.bottom() - by) <= 10;
    };
    EXPECT_TRUE(soon(moved)) << "follows the mouse by a timer, which the release ends";
    QTest::mouseRelease(&space, Qt::LeftButton, {}, border + QPoint(0, by));
    QTest::qWait(20);
    ASSERT_TRUE(moved()) << space.dock(id)->geometry().bottom() << ", before " << before.bottom();
}

TEST_F(RestoreTest, TheTrainingStepIsTheOneOfItsRun) {
    fs::create_directories(project_.path() / "runs" / kFirst / "traces");
    ASSERT_TRUE(trace::writeTrace(project_.path() / "runs" / kFirst / "traces/t.safetensors",
                                  test::syntheticTrace({})));
    {
        auto app = open();
        app->session()->selection.setRuns({kFirst});
        app->window()->traces().open(kFirst, "traces/t.safetensors");
        ASSERT_TRUE(soon([&] { return app->session()->selection.trace() != nullptr; }));
        app->session()->playhead.setTrainStep(123);
        ASSERT_TRUE(written("\"train_step\": 123"));
    }
    auto app = openCopy(WorkspaceId::Inspect, {kSecond});
    const auto& session = *app->session();
    ASSERT_TRUE(soon([&] { return session.catalog.data(kSecond) != nullptr; }));
    const qint64 end = session.catalog.data(kSecond)->summary.step;
    EXPECT_NE(end, 123);
    EXPECT_TRUE(soon([&] { return session.playhead.trainStep() == end; })) << session.playhead.trainStep();
    QTest::qWait(100);
    EXPECT_EQ(session.playhead.trainStep(), end);
    EXPECT_EQ(session.selection.trace(), nullptr) << "that of the other run is not brought back";
}

TEST_F(RestoreTest, ATrainingStepSetBeforeItsRunIsReadIsKept) {
    auto app = open();
    auto& session = *app->session();
    for (const int step : {123, 0}) {
        session.selection.setRuns({kSecond});
        ASSERT_TRUE(soon([&] { return session.catalog.data(kSecond) && !session.catalog.data(kFirst); }));
        session.selection.setRuns({kFirst});
        ASSERT_EQ(session.catalog.data(kFirst), nullptr) << "its numbers are on their way";
        session.playhead.setTrainStep(step);
        ASSERT_TRUE(soon([&] { return session.catalog.data(kFirst) != nullptr; }));
        QTest::qWait(50);
        EXPECT_EQ(session.playhead.trainStep(), step);
    }
}

TEST_F(RestoreTest, PanelHeightsAreRestored) {
    if (doneOnLargeScreen()) return;
    const auto heights = [](StudioApp& app) {
        std::vector<double> out;
        for (const char* id : {"prompt", "timeline", "curve"})
            out.push_back(app.window()->workspace(WorkspaceId::Inspect).dock(id)->height());
        const double all = std::accumulate(out.begin(), out.end(), 0.0);
        for (double& part : out) part = 100 * part / all;
        return out;
    };
    std::vector<double> left;
    {
        auto app = open();
        MainWindow& window = *app->window();
        window.resize(1600, 1000);
        window.show();
        window.openWorkspace(WorkspaceId::Inspect);
        QTest::qWait(100);
        for (const auto side : {WindowFrame::Runs, WindowFrame::Inspector}) window.toggleSide(side);
        QTest::qWait(100);  // the panels are below each other
        Workspace& space = window.workspace(WorkspaceId::Inspect);
        dragBorderBelow(space, "timeline", 60);
        left = heights(*app);
        EXPECT_GT(left[1], left[0] + 20);
        window.close();
    }
    const auto near = [&](const std::vector<double>& now) {
        return std::equal(now.begin(), now.end(), left.begin(),
                          [](double a, double b) { return std::abs(a - b) < 2; });
    };
    for (const WorkspaceId first : {WorkspaceId::Inspect, WorkspaceId::Train}) {
        auto app = openCopy(first);
        app->window()->show();
        QTest::qWait(200);
        app->window()->openWorkspace(WorkspaceId::Inspect);
        EXPECT_TRUE(soon([&] { return near(heights(*app)); }))
            << ::testing::PrintToString(heights(*app)) << " " << ::testing::PrintToString(left);
        app.reset();
        fs::remove_all(copy_.path() / "p");
    }
}

TEST_F(RestoreTest, ATemporarilySmallWindowKeepsItsProportions) {
    auto app = open();
    app->window()->resize(1600, 1000);
    app->window()->show();
    app->window()->openWorkspace(WorkspaceId::Train);
    QTest::qWait(200);
    const QSize whole = app->window()->size();
    const auto sizes = [&] {
        std::vector<int> out;
        for (const char* id : {"launch", "monitor", "samples"}) {
            const QSize size = app->window()->workspace(WorkspaceId::Train).dock(id)->size();
            out.insert(out.end(), {size.width(), size.height()});
        }
        return out;
    };
    const auto before = sizes();
    const auto asBefore = [&] {
        const auto now = sizes();
        return std::equal(now.begin(), now.end(), before.begin(),
                          [](int a, int b) { return std::abs(a - b) <= 3; });
    };
    const auto shrink = [&](QSize small) {
        app->window()->resize(small.boundedTo(whole));
        QTest::qWait(100);
    };
    for (const QSize small : {QSize(700, 1000), QSize(1600, 480), QSize(700, 480)}) {
        shrink(small);
        app->window()->resize(whole);
        EXPECT_TRUE(soon(asBefore)) << ::testing::PrintToString(sizes()) << ::testing::PrintToString(before);
    }
    shrink({700, 480});
    app->window()->close();
    app.reset();
    app = openCopy(WorkspaceId::Train);
    app->window()->show();
    app->window()->openWorkspace(WorkspaceId::Train);
    QTest::qWait(100);
    app->window()->resize(whole);
    EXPECT_TRUE(soon(asBefore)) << ::testing::PrintToString(sizes()) << ::testing::PrintToString(before);
}

TEST_F(RestoreTest, ADamagedSessionFileIsReportedAndKept) {
    fs::create_directories(sessionFile().parent_path());
    std::ofstream(sessionFile()) << "{\"runs\": \"2026";  // cut in the middle
    auto app = open();
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(message->text().contains("damaged")) << message->text().toStdString();
    const auto kept = readFile((sessionFile().string() + ".damaged"));
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, "{\"runs\": \"2026");
    EXPECT_EQ(panelOf<views::RunsPanel>(*app, "runs").filterModel()->rowCount(), 2);
}

// To open a pipe waits for somebody who writes into it, so the window froze before it was shown.
TEST_F(RestoreTest, APipeInPlaceOfAFileDoesNotFreezeTheWindow) {
    fs::create_directories(sessionFile().parent_path());
    const fs::path project = sessionFile().parent_path().parent_path();
    const std::vector<fs::path> files = {sessionFile(), sessionFile().parent_path() / "mine.json",
                                         project / "queue.json", project / ".queue.lock",
                                         project / "alerts.json"};
    for (const auto& file : files) {
        fs::remove(file);
        ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0) << file;
    }
    auto app = open();
    EXPECT_EQ(panelOf<views::RunsPanel>(*app, "runs").filterModel()->rowCount(), 2);
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_FALSE(message->text().isEmpty());
    EXPECT_TRUE(fs::is_fifo(sessionFile().string() + ".damaged"));
}

}  // namespace
}  // namespace kurve::studio
