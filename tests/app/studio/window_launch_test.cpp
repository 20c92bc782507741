// The whole window on a synthetic project: the form follows the project's experiments; a project is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocalSocket>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QThread>
#include <QToolButton>
#include <csignal>
#include <fstream>

#include "app/studio/start/new_project_form.h"
#include "tests/app/studio/window_fixture.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/empty_state.h"
#include "views/launch/launch_panel.h"
#include "views/machines/machines_window.h"

namespace kurve::studio {
namespace {

using views::LaunchPanel;
using views::QueueItem;

TEST_F(WindowTest, ARunThatStartsOrEndsDoesNotInterruptTyping) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    app->window()->activateWindow();
    const auto field = [&](const char* key) {
        return launch->findChild<QLineEdit*>(QStringLiteral("launch.field.") + key);
    };
    const auto shown = [&](const char* tab) { return launch->findChild<QPushButton*>(tab)->isChecked(); };
    const auto type = [&](QLineEdit* line, const char* text) {
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
    };
    const QString before = launch->draft().valueText("train.lr");
    type(field("model.hidden"), "25");
    app->window()->commands().action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Running && run->progress().step > 0; }));
    ASSERT_NE(field("model.hidden"), nullptr);
    EXPECT_TRUE(field("model.hidden")->hasFocus());
    QTest::keyClicks(field("model.hidden"), "6");
    EXPECT_EQ(launch->draft().valueText("model.hidden"), "256") << "the draft is still typed in";
    EXPECT_TRUE(shown("launch.draft"));

    launch->findChild<QPushButton*>("launch.running")->click();
    ASSERT_TRUE(soon([&] { return shown("launch.running") && !field("model.hidden")->isEnabled(); }));
    launch->findChild<QToolButton*>("launch.unlock.train.lr")->click();
    QSignalSpy said(launch, &LaunchPanel::statusMessage);
    type(field("train.lr"), "7");
    QTest::keyClick(field("train.lr"), Qt::Key_Return);
    ASSERT_EQ(said.size(), 1);
    EXPECT_FALSE(said[0][0].toString().contains("from the next step")) << "at most 1";
    type(field("train.lr"), "0.5");
    run->stop();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    EXPECT_TRUE(field("train.lr")->hasFocus()) << "not swapped for the draft's field of that name";
    EXPECT_TRUE(shown("launch.running"));
    QTest::keyClick(field("train.lr"), Qt::Key_Return);
    EXPECT_EQ(launch->draft().valueText("train.lr"), before);
    launch->findChild<QLineEdit*>("launch.command")->setFocus();
    EXPECT_TRUE(soon([&] { return shown("launch.draft"); }));
}

TEST_F(WindowTest, ADryRunAndACheckEndWithTheWindow) {
    const auto engine = home_ / "kurve", begun = home_ / "begun";
    std::ofstream(engine) << "#!/bin/sh\ncase \"$*\" in *--dry-run*|reproduce*) echo $$ > " << begun.string()
                          << "; exec sleep 100;; esac\n";
    std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
    for (const char* command : {"run.measure", "run.check_determinism"}) {
        qputenv("KURVE_ENGINE", KURVE_FAKE_ENGINE);
        auto app = open();
        app->session()->selection.setRuns({"20261120-100000-0001"});
        ASSERT_TRUE(soon([&] { return app->session()->catalog.data("20261120-100000-0001") != nullptr; }));
        qputenv("KURVE_ENGINE", engine.c_str());
        app->window()->commands().action(QLatin1String(command))->trigger();
        pid_t process = 0;
        ASSERT_TRUE(soon([&] { return bool(std::ifstream(begun) >> process); })) << command;
        app->window()->close();
        app.reset();
        EXPECT_TRUE(soon([&] { return ::kill(process, 0) != 0; })) << command;
        std::filesystem::remove(begun);
    }
}

TEST_F(WindowTest, StartWaitsForTheEngineDescription) {
    StudioOptions options;
    options.project = QString::fromStdString(project_.path().string());
    StudioApp app(options);
    app.start();
    ASSERT_TRUE(app.session()->engine.info().families().empty());
    app.window()->commands().action("run.start")->trigger();
    EXPECT_EQ(app.session()->control.current(), nullptr);
    EXPECT_TRUE(app.window()->findChild<QLabel*>("status.message")->text().contains("engine description"));
    ASSERT_TRUE(soon([&] { return app.session()->control.current() != nullptr; }));
    app.session()->control.current()->stop();
    ASSERT_TRUE(soon([&] { return !app.session()->control.current()->isLive(); }));
    QTest::qWait(100);
    EXPECT_EQ(app.session()->control.liveCount(), 0) << "it started once";
}

TEST_F(WindowTest, StartWaitsForTheDryRun) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    for (const bool ended : {false, true}) {
        app->window()->commands().action("run.measure")->trigger();
        app->window()->commands().action("run.start")->trigger();
        EXPECT_EQ(app->session()->control.liveCount(), 0);
        if (ended) app->window()->commands().action("run.measure")->trigger();
        ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 1; }));
        app->session()->control.current()->stop();
        ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 0; }));
        if (!ended) {
            EXPECT_TRUE(launch->findChild<QLabel*>("launch.estimate")->text().contains("250 ms"));
        }
    }
}

TEST_F(WindowTest, ThePreviousDraftIsRestoredByItsKey) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    std::filesystem::copy_file(project_ / "experiments/toy.toml", project_ / "experiments/twin.toml");
    auto* box = launch->findChild<QComboBox*>("launch.experiment");
    ASSERT_TRUE(soon([&] { return box->findText("twin") >= 0; }));
    app->window()->activateWindow();
    launch->draft().setValue("model.hidden", "96");
    box->setFocus();
    box->setCurrentIndex(box->findText("twin"));
    Q_EMIT box->activated(box->currentIndex());
    const QString said = app->window()->findChild<QLabel*>("status.message")->text();
    EXPECT_TRUE(said.contains("Kept: model.hidden")) << said.toStdString();
    EXPECT_EQ(launch->draft().valueText("model.hidden"), "96");
    launch->draft().setValue("model.hidden", "32");
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(box->currentText(), "toy");
    EXPECT_EQ(launch->draft().valueText("model.hidden"), "96");
}

TEST_F(WindowTest, TheDraftAndThePreviousOneOutliveTheWindow) {
    const auto app = open();
    views::Draft& draft = app->session()->draft;
    draft.setValue("model.hidden", "96");
    draft.revertAll();
    draft.setValue("model.layers", "3");
    for (const char* zoom : {"zoom.in", "zoom.reset"}) {
        const QPointer<MainWindow> before = app->window();
        app->window()->commands().trigger(zoom);
        ASSERT_TRUE(soon([&] { return before.isNull(); })) << "it is built anew";
    }
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    EXPECT_EQ(launch->findChild<QLineEdit*>("launch.field.model.layers")->text(), "3");
    app->window()->commands().trigger("launch.restore_draft");
    EXPECT_EQ(draft.valueText("model.hidden"), "96");
    EXPECT_EQ(launch->findChild<QLineEdit*>("launch.field.model.hidden")->text(), "96");
}

TEST_F(WindowTest, StartIsVisibleInALowWindowAndNothingScrollsSideways) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    app->window()->activateWindow();
    auto* start = launch->findChild<QToolButton*>("launch.start");
    auto* search = launch->findChild<QLineEdit*>("launch.search");
    auto* form = launch->findChild<QScrollArea*>("launch.form");
    const auto inSight = [](const QWidget* control) {
        return control->visibleRegion() == QRegion(control->rect());
    };
    app->window()->resize(1500, 950);
    ASSERT_TRUE(soon([&] { return inSight(start) && inSight(search); }));
    EXPECT_FALSE(form->isAncestorOf(search)) << "where there is room, only the settings scroll";
    search->setFocus();
    QTest::keyClicks(search, "hid");

    app->window()->resize(1200, 480);
    EXPECT_TRUE(soon([&] { return inSight(start) && form->isAncestorOf(search) && search->hasFocus(); }));
    QTest::keyClicks(search, "den");
    EXPECT_EQ(search->text(), "hidden") << "typing goes on";
    EXPECT_TRUE(
        soon([&] { return launch->findChild<QLineEdit*>("launch.field.model.hidden")->isVisible(); }));
    app->window()->commands().action("launch.save_experiment")->trigger();
    EXPECT_TRUE(soon([&] { return inSight(launch->findChild<QLineEdit*>("launch.file_name")); }));
    EXPECT_TRUE(inSight(start));
    // A third of a screen of 1,600 at twice the size.
    for (auto* wide : launch->findChildren<QWidget*>())
        EXPECT_LE(wide->minimumSizeHint().width(), 265) << wide->objectName().toStdString();
    EXPECT_LE(launch->minimumSizeHint().width(), 265);

    app->window()->resize(1500, 950);
    EXPECT_TRUE(soon([&] { return !form->isAncestorOf(search) && inSight(search) && inSight(start); }));
}

TEST_F(WindowTest, ALiveSettingThatDoesNotReachTheTrainingSaysSo) {
    auto app = open();
    app->window()->commands().action("run.start")->trigger();
    const QString id = app->session()->control.current()->runId();
    ASSERT_TRUE(soon([&] { return app->session()->control.current()->progress().step > 0; }));
    app->window()->close();
    app.reset();
    app = open();  // attaches to it through its socket
    const RunSupervisor* run = nullptr;
    ASSERT_TRUE(soon([&] {
        run = app->session()->control.supervisor(id);
        return run != nullptr && run->phase() == RunPhase::Running;
    }));
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    QToolButton* unlock = nullptr;
    ASSERT_TRUE(soon([&] {
        unlock = launch->findChild<QToolButton*>("launch.unlock.train.lr");
        return unlock != nullptr && !unlock->isHidden();
    }));
    unlock->click();
    auto* field = launch->findChild<QLineEdit*>("launch.field.train.lr");
    field->setText("0.5");
    run->findChild<QLocalSocket*>()->abort();
    QTest::keyClick(field, Qt::Key_Return);
    const auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(message->text().contains("no connection")) << message->text().toStdString();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Running; })) << "connected again";
    app->session()->control.supervisor(id)->stop();
    EXPECT_TRUE(soon([&] { return !run->isLive(); }));
}

TEST_F(WindowTest, TheLiveSettingsAreTheRunsWhicheverRunIsSelected) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    const auto field = [&] { return launch->findChild<QLineEdit*>("launch.field.model.hidden"); };
    launch->draft().setValue("model.hidden", "96");
    app->window()->commands().action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    app->session()->selection.setRuns({"20261120-100000-0001"});
    launch->draft().setValue("model.hidden", "112");
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Running; }));
    auto* live = launch->findChild<QPushButton*>("launch.running");
    ASSERT_TRUE(soon([&] { return live->isChecked(); }));
    EXPECT_NE(field()->text(), "112") << "those of the draft";
    EXPECT_FALSE(field()->isEnabled());
    run->stop();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    EXPECT_TRUE(soon([&] { return field()->text() == "112" && field()->isEnabled(); }));
}

TEST_F(WindowTest, ExperimentsComeChangeAndGoWhileTheWindowIsOpen) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* box = launch->findChild<QComboBox*>("launch.experiment");
    const auto folder = project_ / "experiments";
    EXPECT_EQ(box->currentText(), "toy");
    EXPECT_EQ(launch->statement(), "New run: experiment toy with 0 changes.");
    launch->draft().setValue("train.seconds", "9000");
    const auto about = launch->findChild<QLabel*>("launch.about")->text().toStdString();
    EXPECT_THAT(about, ::testing::HasSubstr("takes about 2 h 30 min\n"));
    launch->draft().revert("train.seconds");
    // As editors write: beside it, and renamed over it.
    std::ofstream(folder / ".new.toml.swp") << "family = \"toy\"\nname = \"new\"\n";
    std::filesystem::rename(folder / ".new.toml.swp", folder / "new.toml");
    EXPECT_TRUE(soon([&] { return box->findText("new") >= 0; }));
    EXPECT_EQ(box->currentText(), "toy") << "what is chosen stays";
    auto* stale = launch->findChild<QLabel*>("launch.stale");
    EXPECT_TRUE(stale->isHidden());
    for (const char* steps : {"3000", "4000"}) {  // the second time the file is another one than was watched
        std::ofstream(folder / "toy.tmp")
            << "family = \"toy\"\nname = \"toy\"\n[train]\nsteps = " << steps << "\n";
        std::filesystem::rename(folder / "toy.tmp", folder / "toy.toml");
        ASSERT_TRUE(soon([&] { return !stale->isHidden(); }));
        EXPECT_NE(launch->draft().valueText("train.steps"), steps);
        launch->findChild<QPushButton*>("launch.reload")->click();
        EXPECT_EQ(launch->draft().valueText("train.steps"), steps);
        EXPECT_TRUE(stale->isHidden());
    }
    std::filesystem::remove(folder / "toy.toml");
    EXPECT_TRUE(soon([&] { return box->currentText() == "toy (missing)"; }))
        << box->currentText().toStdString();
    EXPECT_FALSE(launch->draft().isValid());
    launch->draft().setValue("train.steps", "5000");
    launch->findChild<QLineEdit*>("launch.file_name")->setText("toy");
    launch->findChild<QPushButton*>("launch.save")->click();
    EXPECT_EQ(launch->draft().valueText("train.steps"), "5000") << "saved again under its own name";
    EXPECT_FALSE(launch->draft().isOverridden("train.steps"));
    EXPECT_TRUE(launch->draft().sets().isEmpty()) << "no pins of what its file said before";
    EXPECT_TRUE(launch->draft().isValid());
}

TEST_F(WindowTest, AnUnreadableExperimentIsReadOnceItIsRepaired) {
    const auto file = project_ / "experiments/broken.toml";
    std::ofstream(file) << "family = \"toy\"\nname = \"broken\"\ntask = \"none\"\n";
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* stale = launch->findChild<QLabel*>("launch.stale");
    auto* about = launch->findChild<QLabel*>("launch.about");
    EXPECT_FALSE(about->isHidden());
    launch->draft().setExperiment(QString::fromStdString(file.string()));
    EXPECT_TRUE(launch->statement().startsWith("The draft cannot start: "))
        << launch->statement().toStdString();
    EXPECT_TRUE(launch->statement().contains("task")) << "and says why";
    EXPECT_TRUE(about->isHidden()) << "what stood there is of another experiment";
    std::ofstream(project_ / "experiments/broken.tmp") << "family = \"toy\"\nname = \"broken\"\n";
    std::filesystem::rename(project_ / "experiments/broken.tmp", file);
    EXPECT_TRUE(soon([&] { return launch->draft().isValid(); }));
    EXPECT_TRUE(stale->isHidden()) << "there was no draft that could stand as it was";
}

TEST_F(WindowTest, AProjectWithoutExperimentsCreatesItsFirst) {
    std::filesystem::remove_all(project_ / "experiments");
    std::ofstream(project_ / "data/mine.train.tsv") << "a\tb\n";
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* button = launch->findChild<views::EmptyState*>()->button();
    ASSERT_TRUE(soon([&] { return button->text() == "Create first experiment"; }));
    button->click();
    EXPECT_TRUE(launch->draft().isValid());
    EXPECT_EQ(launch->findChild<QComboBox*>("launch.experiment")->currentText(), "first");
    EXPECT_EQ(launch->draft().valueText("data.train"), "data/mine.train.tsv");
    EXPECT_TRUE(std::filesystem::exists(project_ / "experiments/first.toml"));
}

TEST_F(WindowTest, TheRunUsesTheDeviceOfTheDraft) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* device = launch->findChild<QComboBox*>("launch.device");
    EXPECT_EQ(device->currentText(), "automatic (cpu)");
    launch->draft().setDevice("cuda:7");
    EXPECT_TRUE(device->property("invalid").toBool());
    EXPECT_TRUE(device->toolTip().contains("device cuda:7 is not available"))
        << device->toolTip().toStdString();
    app->window()->commands().action("run.start")->trigger();
    EXPECT_EQ(app->session()->control.liveCount(), 0);
    launch->draft().setDevice("cpu");
    EXPECT_FALSE(device->property("invalid").toBool());
    EXPECT_EQ(device->currentText(), "cpu");
    app->window()->commands().action("run.queue")->trigger();
    ASSERT_EQ(app->session()->queue.state().items.size(), 1U);
    EXPECT_EQ(app->session()->queue.state().items[0].device, "cpu");
}

TEST_F(WindowTest, TheRunHasTheProcessesOfTheForm) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto* processes = launch->findChild<QSpinBox*>("launch.processes");
    EXPECT_EQ(processes->isVisibleTo(launch), QThread::idealThreadCount() > 1);
    EXPECT_EQ(processes->maximum(), QThread::idealThreadCount());
    launch->draft().setProcesses(2);
    EXPECT_EQ(processes->value(), 2);
    processes->setValue(1);
    EXPECT_EQ(launch->draft().processes(), 1);
    launch->draft().setProcesses(2);
    app->window()->commands().action("run.measure")->trigger();
    const auto* estimate = launch->findChild<QLabel*>("launch.estimate");
    EXPECT_TRUE(soon([&] { return estimate->text().startsWith("Measured with one process\n"); }))
        << estimate->text().toStdString();
    app->window()->commands().action("run.queue")->trigger();
    ASSERT_EQ(app->session()->queue.state().items.size(), 1U);
    EXPECT_TRUE(app->session()->queue.state().items[0].words.join(' ').endsWith("--nproc 2"));
}

TEST_F(WindowTest, WithoutMachinesThereIsNoneToChoose) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    EXPECT_TRUE(launch->findChild<QComboBox*>("launch.machine")->isHidden());
}

TEST_F(WindowTest, ADraftForAnotherMachineSaysWhatItsPlanIsOf) {
    std::ofstream(project_ / "machines.toml") << "[gpu]\nhost = \"ann@gpu\"\n";
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    auto *machine = launch->findChild<QComboBox*>("launch.machine"),
         *device = launch->findChild<QComboBox*>("launch.device");
    EXPECT_FALSE(machine->isHidden());
    EXPECT_EQ(machine->currentText(), "This computer");
    machine->setCurrentIndex(machine->findText("gpu"));
    Q_EMIT machine->activated(machine->currentIndex());
    EXPECT_TRUE(soon([&] { return device->findText("cuda:0") >= 0; })) << "it is checked for its devices";
    EXPECT_TRUE(launch->findChild<QLineEdit*>("launch.command")->text().endsWith(" --machine gpu"));
    auto *memory = launch->findChild<QLabel*>("launch.memory"),
         *estimate = launch->findChild<QLabel*>("launch.estimate");
    EXPECT_TRUE(soon([&] { return memory->text().contains("free memory of gpu: not known"); }))
        << memory->text().toStdString();
    app->window()->commands().action("run.measure")->trigger();
    EXPECT_TRUE(soon([&] { return estimate->text().startsWith("Measured on gpu\n"); }))
        << estimate->text().toStdString();
    app->window()->commands().action("project.machines")->trigger();
    auto* window = app->window()->findChild<views::MachinesWindow*>();
    ASSERT_NE(window, nullptr);
    EXPECT_TRUE(window->isVisible());
    std::filesystem::remove(project_ / "machines.toml");
    EXPECT_TRUE(soon([&] { return machine->toolTip().contains("there is no machine gpu"); }));
    app->window()->commands().action("run.start")->trigger();
    EXPECT_EQ(app->session()->control.liveCount(), 0);
}

TEST_F(WindowTest, QuitAsksBeforeItStopsJobs) {
    const auto app = open();
    MainWindow& window = *app->window();
    RunQueue& queue = app->session()->queue;
    QueueItem item;
    item.words = QStringList{"train", "experiments/toy.toml"};
    queue.add({item, item});
    ASSERT_TRUE(soon([&] { return app->session()->control.liveCount() == 1; }));
    const auto dialog = [&] { return window.findChild<QMessageBox*>("quit.dialog"); };
    EXPECT_FALSE(window.close());
    ASSERT_NE(dialog(), nullptr);
    EXPECT_TRUE(dialog()->isVisible());
    EXPECT_EQ(dialog()->text(), "Quit Kurve?");
    EXPECT_EQ(dialog()->informativeText(),
              "Training continues in the background. These jobs stop: queue (1 waiting)");
    QTest::keyClick(dialog(), Qt::Key_Return);
    EXPECT_TRUE(window.isVisible()) << "Cancel is the default";
    ASSERT_TRUE(soon([&] { return dialog() == nullptr; }));
    EXPECT_FALSE(window.close());
    ASSERT_NE(dialog(), nullptr);
    dialog()->findChild<QPushButton*>("quit.quit")->click();
    EXPECT_FALSE(window.isVisible());
    app->session()->control.supervisor(queue.state().items[0].run)->stop();
    EXPECT_TRUE(soon([&] { return app->session()->control.liveCount() == 0; }));
}

TEST_F(WindowTest, AnInvalidNewProjectIsRefused) {
    const auto app = open();
    app->window()->commands().action("project.new")->trigger();
    auto* form = app->window()->findChild<NewProjectForm*>();
    ASSERT_NE(form, nullptr);
    ASSERT_TRUE(form->isVisible());
    auto* name = form->findChild<QLineEdit*>("new.name");
    auto* problem = form->findChild<QLabel*>("new.problem");
    auto* create = form->findChild<QPushButton*>("new.create");
    form->findChild<QLineEdit*>("new.folder")->setText(QString::fromStdString(project_.path().string()));
    EXPECT_FALSE(create->isEnabled());
    name->setText("experiments");
    EXPECT_TRUE(problem->text().contains("exists and is not empty")) << problem->text().toStdString();
    name->setText("project.toml");
    EXPECT_TRUE(problem->text().contains("is a file")) << problem->text().toStdString();
    name->setText("a/b");
    EXPECT_TRUE(problem->text().contains("must not contain /"));
    name->setText("mine");
    EXPECT_TRUE(problem->isHidden());
    EXPECT_EQ(form->target().toStdString(), (project_ / "mine").string());
}

TEST_F(WindowTest, ANewProjectIsMadeFromATemplateAndOpens) {
    const auto app = open();
    app->window()->commands().action("project.new")->trigger();
    auto* form = app->window()->findChild<NewProjectForm*>();
    auto* templates = form->findChild<QListWidget*>("new.templates");
    ASSERT_TRUE(soon([&] { return templates->count() == 1; }));
    EXPECT_EQ(templates->item(0)->text(), "blank (2.0 kB): for texts of your own");
    form->findChild<QLineEdit*>("new.folder")->setText(QString::fromStdString(home_.path().string()));
    auto* name = form->findChild<QLineEdit*>("new.name");
    name->setText("mine");
    QTest::keyClick(name, Qt::Key_Return);
    ASSERT_TRUE(soon([&] { return app->session()->project().folder().filename() == "mine"; }));
    EXPECT_FALSE(app->window()->commands().action("runs.undo")->isEnabled());
}

TEST_F(WindowTest, TheCopyOfATemplateCanBeCancelled) {
    const auto app = open();
    app->window()->commands().action("project.new")->trigger();
    auto* form = app->window()->findChild<NewProjectForm*>();
    auto* cancel = form->findChild<QPushButton*>("new.cancel");
    ASSERT_TRUE(soon([&] { return form->findChild<QListWidget*>("new.templates")->count() == 1; }));
    form->findChild<QLineEdit*>("new.folder")->setText(QString::fromStdString(home_.path().string()));
    form->findChild<QLineEdit*>("new.name")->setText("mine");
    EXPECT_EQ(cancel->text(), "Close");
    qputenv("KURVE_FAKE", "hang");
    form->findChild<QPushButton*>("new.create")->click();
    ASSERT_EQ(cancel->text(), "Cancel");
    QTest::qWait(300);  // till the engine listens
    cancel->click();
    ASSERT_TRUE(soon([&] { return cancel->text() == "Close"; }));
    EXPECT_TRUE(form->isVisible());
    EXPECT_EQ(form->findChild<QLabel*>("new.problem")->text(), "the copy was ended");
    EXPECT_TRUE(form->findChild<QPushButton*>("new.create")->isEnabled());
}

TEST_F(WindowTest, ACrashRaisesAnAlert) {
    qputenv("KURVE_FAKE", "crash");
    const auto app = open();
    QString reported;
    QObject::connect(&app->session()->control, &RunControl::alarmed, app->window(),
                     [&](const QString&, const QString& text) { reported = text; });
    app->window()->commands().action("run.start")->trigger();
    EXPECT_TRUE(soon([&] { return reported.contains("signal 6"); })) << reported.toStdString();
}

TEST_F(WindowTest, TheFormGoesBackToTheDraftWhenARunHasEnded) {
    const auto app = open();
    auto* launch = panelOf<LaunchPanel>(*app, WorkspaceId::Train, "launch");
    app->window()->activateWindow();
    launch->findChild<QComboBox*>("launch.experiment")->setFocus();  // which is disabled while a run is shown
    QSignalSpy shown(launch->findChild<QPushButton*>("launch.running"), &QPushButton::toggled);
    app->window()->commands().action("run.start")->trigger();
    RunSupervisor* run = app->session()->control.current();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Running && shown.count() == 1; }));
    run->stop();
    ASSERT_TRUE(soon([&] { return run->phase() == RunPhase::Cancelled; }));
    EXPECT_TRUE(soon([&] { return launch->findChild<QPushButton*>("launch.draft")->isChecked(); }));
    EXPECT_EQ(shown.count(), 2) << "and no longer";
}

}  // namespace
}  // namespace kurve::studio
