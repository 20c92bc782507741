// Project > Machines…: edits are written when saved, a check shows what to do, runs there can be followed.
#include "views/machines/machines_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>
#include <map>

#include "core/wire/fields.h"
#include "tests/support/studio_parts.h"
#include "views/common/services/trainings.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct FakeMachines : Machines {
    std::vector<remote::Machine> list() const override { return machines; }
    QString problem() const override { return why; }
    Answer checkOf(const QString& machine) const override { return at(checks, machine); }
    Answer runsOf(const QString& machine) const override { return at(runs, machine); }
    void check(const QString& machine) override { asked << "check " + machine; }
    void listRuns(const QString& machine) override { asked << "runs " + machine; }
    Status put(const remote::Machine& machine, const QString& before) override {
        if (!refusal.empty()) return requestError("machines.bad_value", refusal);
        std::erase_if(machines, [&](const auto& one) { return one.name == before.toStdString(); });
        machines.push_back(machine);
        Q_EMIT changed();
        return {};
    }
    Status remove(const QString& name) override {
        std::erase_if(machines, [&](const auto& one) { return one.name == name.toStdString(); });
        Q_EMIT changed();
        return {};
    }
    void follow(const QString& run, const QString& machine) override {
        asked << "follow " + run + ' ' + machine;
    }
    static Answer at(const std::map<QString, Answer>& all, const QString& name) {
        const auto found = all.find(name);
        return found == all.end() ? Answer() : found->second;
    }
    std::vector<remote::Machine> machines;
    std::map<QString, Answer> checks, runs;
    QString why;
    std::string refusal;
    QStringList asked;
};

struct FakeTrainings : Trainings {
    bool isLive(const QString& run) const override { return run == live; }
    QString live;
};

class MachinesWindowTest : public ::testing::Test, protected test::StudioParts {
protected:
    void openWindow() {
        open();
        context_.services->offer<Machines>(machines_);
        context_.services->offer<Trainings>(trainings_);
        window_ = std::make_unique<MachinesWindow>(context_, nullptr);
        window_->show();
    }
    template <class T>
    T& part(const char* name) const {
        T* found = window_->findChild<T*>(QLatin1String(name));
        EXPECT_NE(found, nullptr) << name;
        return *found;
    }
    [[nodiscard]] std::string label(const char* name) const {
        return part<QLabel>(name).text().toStdString();
    }
    void press(const char* name) const { part<QPushButton>(name).click(); }
    void tell(const nlohmann::json& check) {
        machines_.checks["gpu"] = {false, Result<nlohmann::json>(check)};
        Q_EMIT machines_.changed();
    }
    FakeMachines machines_;
    FakeTrainings trainings_;
    std::unique_ptr<MachinesWindow> window_;
};

TEST_F(MachinesWindowTest, WithoutMachinesItTeachesAndAddsOne) {
    openWindow();
    QStringList texts;
    for (const auto* shown : window_->findChildren<QLabel*>())
        if (shown->isVisible()) texts << shown->text();
    EXPECT_THAT(texts.join(' ').toStdString(), HasSubstr("ssh-copy-id user@host"));
    for (auto* button : window_->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == "Add machine") {
            button->click();
            break;
        }
    ASSERT_TRUE(part<QLineEdit>("machines.name").isVisible());
    EXPECT_FALSE(part<QPushButton>("machines.save").isEnabled()) << "nothing typed";
    QTest::keyClicks(&part<QLineEdit>("machines.name"), "gpu");
    EXPECT_FALSE(part<QPushButton>("machines.save").isEnabled()) << "no host";
    QTest::keyClicks(&part<QLineEdit>("machines.host"), "ann@gpu");
    press("machines.save");
    ASSERT_EQ(machines_.machines.size(), 1u);
    EXPECT_EQ(machines_.machines[0].host, "ann@gpu");
    EXPECT_EQ(machines_.machines[0].program, "kurve");
    EXPECT_EQ(machines_.machines[0].folder, remote::defaultFolder(root()));
    EXPECT_THAT(machines_.asked, ElementsAre("check gpu")) << "a new one is checked at once";
    EXPECT_TRUE(part<QLabel>("machines.facts").isVisible());
}

TEST_F(MachinesWindowTest, EditsAreWrittenOnlyWhenSaved) {
    machines_.machines = {{"gpu", "ann@gpu", "kurve", "/fast"}};
    openWindow();
    QLineEdit& host = part<QLineEdit>("machines.host");
    EXPECT_EQ(host.text(), "ann@gpu");
    QTest::keyClicks(&host, "2");
    Q_EMIT machines_.changed();
    EXPECT_EQ(host.text(), "ann@gpu2") << "what is typed stays while answers arrive";
    EXPECT_EQ(machines_.machines[0].host, "ann@gpu");
    press("machines.revert");
    EXPECT_EQ(host.text(), "ann@gpu");
    QTest::keyClicks(&host, "3");
    machines_.refusal = "is no ssh destination";
    press("machines.save");
    EXPECT_THAT(label("machines.problem"), HasSubstr("is no ssh destination"));
    EXPECT_TRUE(part<QLabel>("machines.problem").isVisible());
    EXPECT_EQ(host.text(), "ann@gpu3") << "to be corrected";
    machines_.refusal.clear();
    press("machines.save");
    EXPECT_EQ(machines_.machines[0].host, "ann@gpu3");
    EXPECT_EQ(machines_.machines[0].folder, "/fast");
}

TEST_F(MachinesWindowTest, ARemovedOneCanBeRestored) {
    machines_.machines = {{"gpu", "ann@gpu", "kurve", "/fast"}};
    openWindow();
    press("machines.remove");
    EXPECT_TRUE(machines_.machines.empty());
    EXPECT_EQ(part<QPushButton>("machines.remove").text(), "Restore gpu");
    press("machines.remove");
    ASSERT_EQ(machines_.machines.size(), 1u);
    EXPECT_EQ(machines_.machines[0].folder, "/fast");
    EXPECT_EQ(part<QPushButton>("machines.remove").text(), "Remove");
    machines_.machines.push_back({"big", "ann@big", "kurve", "/fast"});
    Q_EMIT machines_.changed();
    press("machines.remove");
    machines_.refusal = "the disk is full";
    press("machines.remove");
    EXPECT_EQ(part<QPushButton>("machines.remove").text(), "Restore gpu") << "it failed, and can be repeated";
    part<QListWidget>("machines.list_of").setCurrentRow(0);
    EXPECT_EQ(part<QPushButton>("machines.remove").text(), "Remove") << "the other one";
    press("machines.remove");
    EXPECT_TRUE(machines_.machines.empty());
}

TEST_F(MachinesWindowTest, ACheckShowsVersionDevicesAndDisk) {
    machines_.machines = {{"gpu", "ann@gpu", "kurve", "/fast"}};
    openWindow();
    part<QTabWidget>("machines.tabs").setCurrentIndex(1);
    press("machines.check");
    EXPECT_THAT(machines_.asked, ElementsAre("check gpu"));
    tell({{"host", "ann@gpu"},
          {"version", "1.2"},
          {"same_version", true},
          {"writable", true},
          {"folder", "/fast"},
          {"free_bytes", 2e9},
          {"devices", {{{"id", "cpu"}}, {{"id", "cuda:0"}, {"title", "H100"}}}}});
    EXPECT_THAT(label("machines.facts"), HasSubstr("kurve 1.2"));
    EXPECT_THAT(label("machines.facts"), HasSubstr("cuda:0: H100"));
    EXPECT_FALSE(part<QLabel>("machines.check_problem").isVisible());
    EXPECT_EQ(part<QListWidget>("machines.list_of").item(0)->text(),
              "gpu\n✓ kurve 1.2, 2 devices, 2.0 GB free");
    EXPECT_EQ(machines_.devices().value("gpu"), (QStringList{"cpu", "cuda:0"}));
}

TEST_F(MachinesWindowTest, AProblemComesWithWhatToDoWhichCanBeCopied) {
    machines_.machines = {{"gpu", "ann@gpu", "kurve", "/fast"}};
    openWindow();
    part<QTabWidget>("machines.tabs").setCurrentIndex(1);
    machines_.checks["gpu"] = {
        false,
        Result<nlohmann::json>(workError("remote.authentication", "no key fits").fix("ssh-copy-id ann@gpu"))};
    Q_EMIT machines_.changed();
    EXPECT_EQ(label("machines.check_problem"), "no key fits");
    press("machines.copy");
    EXPECT_EQ(QApplication::clipboard()->text(), "ssh-copy-id ann@gpu");
    tell({{"version", "1.1"}, {"same_version", false}, {"install", "apt install kurve"}});
    EXPECT_THAT(label("machines.check_problem"), HasSubstr("another version"));
    press("machines.copy");
    EXPECT_EQ(QApplication::clipboard()->text(), "apt install kurve");
    tell({{"version", "1.1"}, {"unused_gpu", "no kernels"}});
    EXPECT_EQ(label("machines.check_problem"), "No GPU is used there: no kernels.");
}

TEST_F(MachinesWindowTest, RunsThereSayWhatIsHereAndCanBeFollowed) {
    machines_.machines = {{"gpu", "ann@gpu", "kurve", "/fast"}};
    writeRun("20261120-100000-0001", {});
    openWindow();
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog_->run("20261120-100000-0001") != nullptr; }, 30000));
    trainings_.live = "20261120-100000-0002";
    part<QTabWidget>("machines.tabs").setCurrentIndex(2);
    press("machines.list");
    EXPECT_THAT(machines_.asked, ElementsAre("runs gpu"));
    const auto run = [](const char* id) {
        return nlohmann::json{{"id", id}, {"name", ""}, {"state", "running"}, {"step", 1200}};
    };
    machines_.runs["gpu"] = {
        false,
        Result<nlohmann::json>(nlohmann::json{
            {"runs",
             {run("20261120-100000-0001"), run("20261120-100000-0002"), run("20261120-100000-0003")}}})};
    Q_EMIT machines_.changed();
    QTreeWidget& rows = part<QTreeWidget>("machines.runs");
    ASSERT_EQ(rows.topLevelItemCount(), 3);
    EXPECT_EQ(rows.topLevelItem(0)->text(3), "completed");
    EXPECT_EQ(rows.topLevelItem(1)->text(3), "followed");
    EXPECT_EQ(rows.topLevelItem(2)->text(3), "–");
    EXPECT_FALSE(part<QPushButton>("machines.follow").isEnabled());
    rows.topLevelItem(2)->setSelected(true);
    press("machines.follow");
    EXPECT_EQ(machines_.asked.last(), "follow 20261120-100000-0003 gpu");
}

TEST_F(MachinesWindowTest, AFileThatCannotBeReadIsShownAndNotOverwritten) {
    machines_.why = "machines.toml:3: unknown key";
    openWindow();
    EXPECT_TRUE(part<QLabel>("machines.file_problem").isVisible());
    for (auto* button : window_->findChildren<QPushButton*>())
        if (button->text().startsWith("Add")) EXPECT_FALSE(button->isEnabled());
}

}  // namespace
}  // namespace kurve::views
