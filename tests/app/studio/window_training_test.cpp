// The whole window on a synthetic project: trainings are started, measured, queued and found again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QToolButton>
#include <csignal>
#include <fstream>

#include "app/studio/window/notice_list.h"
#include "core/store/run_writer.h"
#include "tests/app/studio/window_fixture.h"
#include "views/launch/launch_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/runs/checkpoint_table.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/runs_panel.h"

namespace kurve::studio {
namespace {

TEST_F(WindowTest, StartsWatchesPausesAndStopsARun) {
    auto app = open();
    auto& commands = app->window()->commands();
    commands.action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_NE(run, nullptr);
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Running; })) << run->reason().toStdString();
    auto* monitor = panelOf<views::MonitorPanel>(*app, WorkspaceId::Train, "monitor");
    EXPECT_TRUE(soon([&] { return app->session()->selection.primaryRun() == run->runId(); }))
        << app->session()->selection.primaryRun().toStdString() << " is shown, not "
        << run->runId().toStdString();
    EXPECT_TRUE(soon([&] { return monitor->hasData(); }));
    const auto* progress = app->window()->findChild<QLabel*>("status.progress");
    const auto shows = [&](const char* text) { return progress->text().contains(QLatin1String(text)); };
    EXPECT_TRUE(soon([&] { return shows("tok/s") && shows("ETA"); })) << progress->text().toStdString();
    commands.action("run.pause")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Paused; }));
    EXPECT_TRUE(soon([&] { return !shows("tok/s") && !shows("ETA"); })) << progress->text().toStdString();
    EXPECT_EQ(commands.action("run.pause")->text(), "Resume");
    commands.action("run.pause")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Running; }));
    commands.action("run.stop")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    EXPECT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 3; }));
}

// Held for a moment, Shift+F5 killed the engine and F5 started a dozen runs.
TEST_F(WindowTest, AHeldKeyStartsAndStopsOnce) {
    auto app = open();
    for (const char* id : {"run.start", "run.queue", "run.pause", "run.stop"}) {
        const QAction* action = app->window()->commands().action(QLatin1String(id));
        ASSERT_NE(action, nullptr) << id;
        EXPECT_FALSE(action->autoRepeat()) << id;
    }
}

TEST_F(WindowTest, TheStatusLineSaysHowFarThePreparationIs) {
    qputenv("KURVE_FAKE", "prepare");
    auto app = open();
    app->window()->commands().action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_NE(run, nullptr);
    const auto* progress = app->window()->findChild<QLabel*>("status.progress");
    const auto prepares = [&] {
        return progress->text().contains("Preparing: vectors of 5 of 10 sentences");
    };
    EXPECT_TRUE(soon(prepares)) << progress->text().toStdString();
    EXPECT_EQ(run->phase(), RunPhase::Starting);
    EXPECT_EQ(app->session()->control.preparation(run->runId()).fraction, 0.5);
    run->sampleNow();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Running && !prepares(); }));
    EXPECT_TRUE(run->progress().preparation.text.isEmpty());
    run->stop();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    qunsetenv("KURVE_FAKE");
}

TEST_F(WindowTest, AResumedRunBeginsAtTheStepOfItsCheckpoint) {
    const QString id = QStringLiteral("20261120-110000-0002");
    {
        const auto writer = std::move(*store::RunWriter::open(project_ / "runs" / id.toStdString()));
        for (const int step : {70, 50}) {  // 50 is newer: the run was resumed from an older one
            store::CheckpointRow row;
            row.step = step;
            row.path = store::RunFile("checkpoints/step-000000" + std::to_string(step));
            writer->checkpoint(row);
        }
    }
    auto app = open();
    app->session()->selection.setRuns({id});
    ASSERT_TRUE(soon([&] { return app->session()->catalog.data(id) != nullptr; }));
    const auto* progress = app->window()->findChild<QLabel*>("status.progress");
    for (const auto& [words, step] : {std::pair<QStringList, QString>{{"resume", id}, "step 50"},
                                      {{"resume", id, "--checkpoint", "70"}, "step 70"}}) {
        app->session()->control.start(words);
        EXPECT_TRUE(progress->text().contains(step)) << progress->text().toStdString();
        RunSupervisor* run = app->session()->control.supervisor(id);
        run->stop();
        EXPECT_TRUE(soon([&] { return !run->isLive(); }));
    }
}

TEST_F(WindowTest, AForkIsTrainedAlsoWhereTheWindowIsRebuiltMeanwhile) {
    const auto engine = home_ / "kurve", go = home_ / "go";
    std::ofstream(engine) << "#!/bin/sh\n[ \"$1\" = fork ] || exec " KURVE_FAKE_ENGINE
                             " \"$@\"\nwhile [ ! -e "
                          << go.string() << " ]; do sleep 0.05; done; echo '{\"run\": \"forked\"}'\n";
    std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
    qputenv("KURVE_ENGINE", engine.c_str());
    auto app = open();
    auto* checkpoints = app->window()->panel("inspector")->findChild<views::CheckpointTable*>();
    ASSERT_NE(checkpoints, nullptr);
    views::RunRequest request;
    request.kind = views::RunRequest::Kind::Fork;
    request.run = "20261120-100000-0001";
    request.checkpoint = "100";
    Q_EMIT checkpoints->requested(request);
    app->window()->commands().action("zoom.in")->trigger();
    ASSERT_TRUE(soon([&] { return views::theme().scale > 1.05; }));
    views::applyTheme(views::ThemeMode::Light, 1.0);
    std::ofstream(go) << "now";
    RunSupervisor* run = nullptr;
    ASSERT_TRUE(soon([&] { return (run = app->session()->control.supervisor("forked")) != nullptr; }));
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Running; }));
    run->stop();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
}

TEST_F(WindowTest, TheButtonsOfJobsLeaveTheStatusBarAsHighAsItIs) {
    auto app = open();
    const QStatusBar& bar = *app->window()->statusBar();
    const int before = bar.sizeHint().height();
    const auto buttons = bar.findChildren<QToolButton*>();
    EXPECT_GE(buttons.size(), 5);
    for (QToolButton* button : buttons) {
        button->setText("Fetching checkpoints/step-00000400 of first: 12 MB of 80 MB");
        button->show();
        EXPECT_EQ(bar.sizeHint().height(), before) << button->objectName().toStdString();
        button->hide();
    }
}

// The playhead bar has the steps so far, the status line the total, unless the run is planned by time.
TEST_F(WindowTest, ProgressHasOneTotalAndNoneWhereTimeIsPlanned) {
    for (const char* mode : {"", "by_time"}) {
        qputenv("KURVE_FAKE", mode);
        auto app = open();
        app->window()->commands().action("run.start")->trigger();
        RunSupervisor* run = app->session()->control.current();
        ASSERT_NE(run, nullptr);
        const auto* progress = app->window()->findChild<QLabel*>("status.progress");
        ASSERT_TRUE(soon([&] { return run->progress().tokensPerSecond > 0; }));
        ASSERT_TRUE(soon([&] { return progress->text().contains("tok/s"); }))
            << progress->text().toStdString();
        EXPECT_EQ(progress->text().contains(" / "), *mode == '\0') << progress->text().toStdString();
        const auto* at = app->window()->findChild<QLabel*>("playhead.train_text");
        EXPECT_FALSE(at->text().contains(" / ")) << at->text().toStdString();
        app->window()->commands().action("run.stop")->trigger();
        EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    }
    qunsetenv("KURVE_FAKE");
}

// A run that this window trained is deleted from outside: it is not expected any more.
TEST_F(WindowTest, ARunThatEndedAndWasDeletedIsNoLongerExpected) {
    auto app = open();
    auto& commands = app->window()->commands();
    commands.action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_NE(run, nullptr);
    const QString id = run->runId();
    EXPECT_TRUE(soon([&] { return app->session()->catalog.run(id) != nullptr; }));
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Running; }));
    commands.action("run.stop")->trigger();
    EXPECT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    std::filesystem::remove_all(app->session()->project().runsFolder() / id.toStdString());
    app->session()->selection.setRuns({id});
    auto* inspector = app->window()->findChild<views::InspectorPanel*>();
    ASSERT_NE(inspector, nullptr);
    const auto says = [&](const char* text) {
        for (const auto* label : inspector->findChildren<QLabel*>())
            if (label->isVisible() && label->text() == text) return true;
        return false;
    };
    EXPECT_TRUE(soon([&] { return says("No such run"); }));
    EXPECT_FALSE(says("Not written yet"));
}

TEST_F(WindowTest, AFailedStartIsReportedAndNotWaitedFor) {
    auto app = open();
    app->session()->selection.setRuns({"20261120-100000-0001"});
    qputenv("KURVE_FAKE", "refuse");
    app->window()->commands().action("run.start")->trigger();
    auto* notices = app->window()->findChild<NoticeList*>();
    EXPECT_TRUE(soon([&] { return notices->isVisible(); }));
    const auto* text = notices->findChild<QLabel*>("notices.text");
    ASSERT_NE(text, nullptr);
    EXPECT_TRUE(text->text().contains("diffusion.schedule: cannot be read")) << text->text().toStdString();
    EXPECT_TRUE(notices->findChild<QPushButton*>("notices.show")->isHidden()) << "there is nothing to show";
    EXPECT_EQ(app->session()->selection.runs(), QStringList{"20261120-100000-0001"}) << "as before";
}

TEST_F(WindowTest, AStartThatEndsBeforeItsRunIsWrittenIsNotWaitedFor) {
    const auto engine = home_ / "engine";
    std::ofstream(engine) << "#!/bin/sh\n[ $1 = train ] && exec sleep 100\nexec " << KURVE_FAKE_ENGINE
                          << " \"$@\"\n";
    std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
    qputenv("KURVE_ENGINE", engine.c_str());
    auto app = open();
    const QStringList before{"20261120-100000-0001"};
    app->session()->selection.setRuns(before);
    for (const RunPhase end : {RunPhase::Cancelled, RunPhase::Crashed}) {
        app->window()->commands().action("run.start")->trigger();
        RunSupervisor* run = app->session()->control.current();
        ASSERT_NE(run, nullptr);
        ASSERT_TRUE(soon([&] { return run->pid() > 0; }));
        EXPECT_TRUE(soon([&] { return app->session()->selection.runs() != before; }));
        if (end == RunPhase::Crashed) ::kill(static_cast<pid_t>(run->pid()), SIGKILL);
        if (end == RunPhase::Cancelled) run->stop();
        if (end == RunPhase::Cancelled) run->stop();
        EXPECT_TRUE(soon([&] { return run->phase() == end; })) << phaseName(run->phase());
        EXPECT_EQ(app->session()->selection.runs(), before);
    }
}

TEST_F(WindowTest, AnInvalidDraftDoesNotStartAndFocusesTheError) {
    auto app = open();
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    launch->draft().setValue("model.hidden", "3");
    EXPECT_FALSE(launch->draft().isValid());
    app->window()->commands().action("run.start")->trigger();
    EXPECT_EQ(app->session()->control.liveCount(), 0);
    auto* field = launch->findChild<QLineEdit*>("launch.field.model.hidden");
    ASSERT_NE(field, nullptr);
    EXPECT_TRUE(field->property("invalid").toBool());
}

TEST_F(WindowTest, ADryRunShowsTimeAndMemoryInTheForm) {
    auto app = open();
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* estimate = launch->findChild<QLabel*>("launch.estimate");
    app->window()->commands().action("run.measure")->trigger();
    EXPECT_TRUE(soon([&] { return estimate->text().contains("Total time about 10:00"); }))
        << estimate->text().toStdString();
    EXPECT_TRUE(estimate->text().startsWith("250 ms per step"));
    EXPECT_EQ(launch->findChild<QLabel*>("launch.warnings")->text(), "⚠ the disk is nearly full");
    launch->draft().setDevice("cpu");
    EXPECT_TRUE(estimate->isHidden()) << "of another device";
    app->window()->commands().action("run.measure")->trigger();
    EXPECT_TRUE(soon([&] { return estimate->text().contains("Total time about 10:00"); }))
        << estimate->text().toStdString();
    launch->draft().setValue("train.lr", "1e-4, 2e-4, 4e-4");
    EXPECT_TRUE(estimate->isHidden()) << "of other settings";
    app->window()->commands().action("run.measure")->trigger();
    EXPECT_TRUE(soon([&] { return estimate->text().contains("3 runs of about 10:00: 30:00"); }))
        << estimate->text().toStdString();
    EXPECT_EQ(app->session()->catalog.runs().size(), 2u);
}

TEST_F(WindowTest, AMatrixOfRunsGoesIntoTheQueue) {
    qputenv("KURVE_FAKE_STEPS", "50");
    auto app = open();
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    launch->draft().setValue("train.lr", "1e-4, 2e-4");
    app->window()->commands().action("run.start")->trigger();
    ASSERT_EQ(app->session()->queue.state().items.size(), 2u);
    EXPECT_EQ(app->session()->queue.state().items[1].title, "toy lr=2e-4");
    EXPECT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 4; }));
}

TEST_F(WindowTest, ARestartFindsTheLiveRunAndTheDraftAgain) {
    QString id;
    {
        auto app = open();
        auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
        launch->draft().setValue("model.layers", "4");
        app->window()->commands().action("run.start")->trigger();
        RunSupervisor* run = app->session()->control.current();
        id = run->runId();
        ASSERT_TRUE(soon([&] { return run->progress().step > 20; }));
        app->window()->close();
    }
    auto app = open();
    EXPECT_TRUE(soon([&] {
        return app->session()->control.supervisor(id) &&
               app->session()->control.supervisor(id)->phase() == RunPhase::Running;
    }));
    auto* launch = panelOf<views::LaunchPanel>(*app, WorkspaceId::Train, "launch");
    EXPECT_EQ(launch->draft().valueText("model.layers"), "4");
    app->session()->control.supervisor(id)->stop();
    EXPECT_TRUE(soon([&] { return app->session()->control.supervisor(id)->phase() == RunPhase::Cancelled; }));
}

TEST_F(WindowTest, WithoutAnEngineTheMessageHasARemedy) {
    qputenv("KURVE_ENGINE", "/nowhere/kurve");
    StudioOptions options;
    options.project = QString::fromStdString(project_.path().string());
    StudioApp app(options);
    app.start();
    ASSERT_TRUE(soon([&] { return !app.session()->engine.problem().isEmpty(); }));
    app.window()->commands().action("run.start")->trigger();
    auto* message = app.window()->findChild<QLabel*>("status.message");
    EXPECT_THAT(message->text().toStdString(), ::testing::HasSubstr("packaging/run"));
}

}  // namespace
}  // namespace kurve::studio
