#include "views/frontier/sweep_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>

#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "tests/views/frontier/frontier_panel_fixture.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/frontier/sweeps.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(FrontierPanelTest, TheFormNamesAScorer) {
    SweepForm form;
    form.restore({{QStringLiteral("frontier.scorer"), QStringLiteral("t")}});
    EXPECT_EQ(form.request().scorer, "") << "not known yet";
    form.setScorers({{"t", "teacher", {}}, {"u", "other", {}}});
    EXPECT_EQ(form.request().scorer, "t");
    EXPECT_THAT(form.findChild<QLineEdit*>("frontier.quality_ids")->placeholderText().toStdString(),
                HasSubstr("gen_ppl"));
    EXPECT_EQ(form.save().value("frontier.scorer").toString(), "t");
}

TEST_F(FrontierPanelTest, TheRequestIsWhatTheFormShows) {
    SweepForm form;
    auto schema = std::make_shared<Schema>();
    schema->fields.push_back(integerField("sampler.steps", 10, "reverse steps"));
    form.setSchema(schema);
    form.setRuns({"a", "b"}, {"a", "b"});
    form.findChild<QLineEdit*>("frontier.values0")->setText("2, 4..8:2");
    std::vector<SweepRequest> requests;
    QObject::connect(&form, &SweepForm::requested,
                     [&](const SweepRequest& request) { requests.push_back(request); });
    form.findChild<QPushButton*>("frontier.start")->click();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_THAT(requests[0].runs, ElementsAre("a", "b"));
    EXPECT_THAT(requests[0].grid, ElementsAre("sampler.steps=2,4..8:2"));
    EXPECT_FALSE(requests[0].estimateOnly);
    form.findChild<QPushButton*>("frontier.estimate")->click();
    EXPECT_TRUE(requests.back().estimateOnly);
    EXPECT_EQ(requests.back().split, "valid");
    EXPECT_EQ(requests.back().checkpoint, "last");
    EXPECT_EQ(requests.back().seconds, 0);
    form.findChild<QComboBox*>("frontier.checkpoint")->setEditText("avg5");
    form.findChild<QComboBox*>("frontier.split")->setCurrentIndex(1);
    form.findChild<QLineEdit*>("frontier.quality_ids")->setText("chrf, token-accuracy");
    form.findChild<QSpinBox*>("frontier.seconds")->setValue(90);
    SweepForm later;
    later.restore(form.save());
    const SweepRequest kept = later.request();
    EXPECT_EQ(kept.checkpoint, "avg5");
    EXPECT_EQ(kept.split, "test");
    EXPECT_EQ(kept.quality, "chrf,token-accuracy");
    EXPECT_EQ(kept.diversity, "") << "the engine's choice";
    EXPECT_EQ(kept.seconds, 90);
    form.findChild<QLineEdit*>("frontier.values0")->setText("2,,4");
    EXPECT_FALSE(form.findChild<QPushButton*>("frontier.start")->isEnabled());
    EXPECT_THAT(form.findChild<QLabel*>("frontier.message")->text().toStdString(), HasSubstr("empty"));
}

// "15 points, about 0:20" beside a form that has changed would be taken as its estimate.
TEST_F(FrontierPanelTest, AnEstimateIsShownOnlyForItsOwnForm) {
    SweepForm form;
    auto schema = std::make_shared<Schema>();
    schema->fields.push_back(integerField("sampler.steps", 10, "reverse steps"));
    form.setSchema(schema);
    form.setRuns({"a"}, {"a"});
    auto* values = form.findChild<QLineEdit*>("frontier.values0");
    const auto message = [&] { return form.findChild<QLabel*>("frontier.message")->text().toStdString(); };
    values->setText("1, 2");
    form.findChild<QPushButton*>("frontier.estimate")->click();
    form.setStatus({SweepStatus::Kind::Idle, "2 points: about 0:20.", 0, 0});
    EXPECT_EQ(message(), "2 points: about 0:20.");
    values->setText("1, 2, 4");
    EXPECT_THAT(message(), HasSubstr("Points per run: 3"));
    values->setText("1, 2");
    EXPECT_EQ(message(), "2 points: about 0:20.");
    form.findChild<QComboBox*>("frontier.checkpoint")->setEditText("best");
    EXPECT_THAT(message(), HasSubstr("Points per run: 2"));
    form.setStatus({SweepStatus::Kind::Running, "1 of 2", 1, 2});
    EXPECT_EQ(message(), "1 of 2") << "a running sweep is shown whatever is typed";
}

TEST_F(FrontierPanelTest, TheFocusMovesBetweenEstimateAndCancel) {
    SweepForm form;
    auto schema = std::make_shared<Schema>();
    schema->fields.push_back(integerField("sampler.steps", 10, "reverse steps"));
    form.setSchema(schema);
    form.setRuns({"a"}, {"a"});
    form.show();
    form.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&form));
    auto* estimate = form.findChild<QPushButton*>("frontier.estimate");
    estimate->setFocus();
    form.setStatus({SweepStatus::Kind::Estimating, "measuring", 0, 0});
    EXPECT_TRUE(form.findChild<QPushButton*>("frontier.cancel")->hasFocus());
    form.setStatus({SweepStatus::Kind::Idle, "2 points", 0, 0});
    EXPECT_TRUE(estimate->hasFocus());
}

TEST_F(FrontierPanelTest, ARunningSweepCanBePausedAndCancelled) {
    SweepForm form;
    auto schema = std::make_shared<Schema>();
    schema->fields.push_back(integerField("sampler.steps", 10, "reverse steps"));
    form.setSchema(schema);
    form.setRuns({"a"}, {"a"});
    int pauses = 0, cancels = 0;
    QObject::connect(&form, &SweepForm::pauseRequested, [&] { ++pauses; });
    QObject::connect(&form, &SweepForm::cancelRequested, [&] { ++cancels; });
    form.setStatus({SweepStatus::Kind::Running, "3 of 9", 3, 9});
    auto* start = form.findChild<QPushButton*>("frontier.start");
    EXPECT_EQ(start->text(), "Pause");
    start->click();
    form.findChild<QPushButton*>("frontier.cancel")->click();
    EXPECT_EQ(pauses, 1);
    EXPECT_EQ(cancels, 1);
    form.setStatus({SweepStatus::Kind::Paused, "", 3, 9});
    EXPECT_EQ(start->text(), "Resume");
}

TEST_F(FrontierPanelTest, TheSweepCommandsSayWhyTheyAreNotAvailable) {
    CommandRegistry commands;
    StudioContext context;
    context.commands = &commands;
    struct : Sweeps {
        void start(const SweepRequest& request) override { requests.push_back(request.estimateOnly); }
        void pause() override { ++pauses; }
        std::vector<bool> requests;
        int pauses = 0;
    } sweeps;
    context.services->offer<Sweeps>(sweeps);
    FrontierPanel panel(context);
    auto& form = *panel.findChild<SweepForm*>();
    const auto why = [&](const char* id) { return commands.entry(QLatin1String(id))->refusal.toStdString(); };
    EXPECT_THAT(why("frontier.sweep"), HasSubstr("No run selected"));
    EXPECT_THAT(why("frontier.pause"), HasSubstr("No sweep is running"));
    auto schema = std::make_shared<Schema>();
    schema->fields.push_back(integerField("sampler.steps", 10, "reverse steps"));
    form.setSchema(schema);
    form.setRuns({"a"}, {"a"});
    EXPECT_EQ(why("frontier.sweep"), "");
    EXPECT_EQ(why("frontier.estimate"), "");
    commands.action("frontier.estimate")->trigger();
    commands.action("frontier.sweep")->trigger();
    EXPECT_THAT(sweeps.requests, ElementsAre(true, false));
    Q_EMIT sweeps.statusChanged({SweepStatus::Kind::Running, "", 1, 9});
    EXPECT_THAT(why("frontier.sweep"), HasSubstr("A sweep is running"));
    EXPECT_EQ(why("frontier.cancel"), "");
    commands.action("frontier.pause")->trigger();
    EXPECT_EQ(sweeps.pauses, 1);
    form.findChild<QLineEdit*>("frontier.values0")->setText("4, x..");
    Q_EMIT sweeps.statusChanged({});
    EXPECT_NE(why("frontier.sweep"), "") << "values that cannot be read";
}

TEST_F(FrontierPanelTest, ThePointsOfARunningSweepLeaveThePinTheSelectionAndUndo) {
    {
        auto writer = std::move(*store::RunWriter::open(home_.path() / "runs/a"));
        writer->set("id", "a");
        ASSERT_TRUE(writer->flush());
    }
    const auto project = store::Project::open(home_.path());
    ASSERT_TRUE(project);
    RunCatalog catalog(*project);
    ASSERT_TRUE(test::waitFor([&] { return catalog.run("a") != nullptr; }));
    Selection selection;
    selection.setRuns({"a"});
    StudioContext context;
    context.project = &*project;
    context.catalog = &catalog;
    context.selection = &selection;
    Sweeps sweeps;
    context.services->offer<Sweeps>(sweeps);
    FrontierPanel panel(context);
    const auto drawn = [&] { return panel.hasData() ? panel.plane().curves[0].points.size() : 0; };
    ASSERT_TRUE(test::waitFor([&] { return drawn() == 2; }));
    FrontierChart& chart = *panel.chart();
    auto& details = *panel.findChild<PointDetails*>();
    const auto stepsOf = [&](FrontierChart::PointIndex index) {
        return panel.plane()
            .curves[0]
            .points.at(static_cast<std::size_t>(index.point))
            ->settings.at("sampler.steps");
    };
    const FrontierChart::PointIndex at{0, stepsOf({0, 0}) == "8" ? 0 : 1};
    chart.pin(at);
    chart.choose({at});
    details.setCurrentIndex(0);
    details.offerUndo("The next prompts use these settings.", [] {});
    const auto added = pointOf("a", 4, 4, 25);
    ASSERT_TRUE(frontier::savePoint(frontier::pointFile(home_.path() / "runs/a", "0"), added));
    Q_EMIT sweeps.pointsChanged();
    ASSERT_TRUE(test::waitFor([&] { return drawn() == 3; }));
    ASSERT_TRUE(chart.pinned().valid());
    EXPECT_EQ(stepsOf(chart.pinned()), "8");
    EXPECT_THAT(chart.chosen(), ElementsAre(chart.pinned()));
    EXPECT_EQ(details.currentIndex(), 0);
    EXPECT_FALSE(panel.findChild<QPushButton*>("frontier.undo")->isHidden());
    EXPECT_EQ(panel.findChild<QTableWidget*>("frontier.texts")->rowCount(), 1);
}

}  // namespace
}  // namespace kurve::views
