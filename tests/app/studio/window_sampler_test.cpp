// The whole window on a synthetic project: the settings of a point become the default sampler of the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

#include "core/frontier/sweep_point.h"
#include "core/store/default_sampler.h"
#include "tests/app/studio/window_fixture.h"
#include "views/frontier/frontier_panel.h"
#include "views/launch/launch_panel.h"
#include "views/prompt/prompt_panel.h"

namespace kurve::studio {
namespace {

const QString kRun = QStringLiteral("20261120-100000-0001");

class WindowSamplerTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        for (const auto& [steps, entropy, bleu] : {std::tuple{"8", 3.0, 30.0}, {"2", 5.0, 20.0}}) {
            frontier::SweepPoint point;
            point.run = kRun.toStdString();
            point.settings = {{"sampler.steps", steps}};
            point.step = 100;
            point.split = "valid";
            point.seeds = {1, 2};
            point.sentences = 2;
            point.quality["bleu"] = {bleu, bleu - 1, bleu + 1, 2, "", {}};
            point.diversity["entropy"] = {entropy, entropy, entropy, 2, "", {}};
            ASSERT_TRUE(frontier::savePoint(frontier::pointFile(folder(), steps), point));
        }
    }
    [[nodiscard]] std::filesystem::path folder() const {
        return project_.path() / "runs" / kRun.toStdString();
    }
    [[nodiscard]] std::string kept() const {
        const auto settings = store::defaultSampler(folder());
        const auto steps =
            settings ? settings->find("sampler.steps") : store::SamplerSettings::const_iterator();
        return settings && steps != settings->end() ? steps->second : "";
    }
};

TEST_F(WindowSamplerTest, APointBecomesTheDefaultSamplerAndIsUndone) {
    const auto app = open();
    app->session()->selection.setRuns({kRun});
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    auto* steps = prompt->findChild<QSpinBox*>("prompt.steps");
    auto* chip = prompt->findChild<QWidget*>("prompt.default_sampler");
    auto* said = prompt->findChild<QLabel*>("prompt.default_sampler_text");
    ASSERT_TRUE(soon([&] { return steps->value() > 0; }));
    const int own = steps->value();
    ASSERT_NE(own, 8);
    EXPECT_TRUE(chip->isHidden());

    app->window()->openWorkspace(WorkspaceId::Compare);
    app->window()->workspace(WorkspaceId::Compare).reveal("frontier");
    auto* frontier = panelOf<views::FrontierPanel>(*app, WorkspaceId::Compare, "frontier");
    ASSERT_TRUE(soon([&] { return frontier->hasData(); }));
    frontier->chart()->pinNext(1);  // the least varied: 8 steps
    frontier->chart()->setFocus();
    app->window()->commands().action("frontier.use_default")->trigger();
    EXPECT_TRUE(soon([&] { return kept() == "8"; }));
    EXPECT_TRUE(soon([&] { return steps->value() == 8; })) << "the prompt bar follows";
    EXPECT_FALSE(chip->isHidden());
    EXPECT_THAT(said->text().toStdString(), ::testing::HasSubstr("steps 8"));
    EXPECT_EQ(panelOf<views::LaunchPanel>(*app, "launch").draft().valueText("sampler.steps"), "8");
    auto* evaluated = app->window()->findChild<QLabel*>("evaluate.default_sampler_text");
    EXPECT_TRUE(soon([&] { return evaluated->text().contains("steps 8"); }));

    frontier->findChild<QPushButton*>("frontier.undo")->click();
    EXPECT_TRUE(soon([&] { return kept().empty() && steps->value() == own; }));
    EXPECT_TRUE(chip->isHidden());
    EXPECT_NE(panelOf<views::LaunchPanel>(*app, "launch").draft().valueText("sampler.steps"), "8");
}

TEST_F(WindowSamplerTest, TheMenuOfAPointOffersIt) {
    const auto app = open();
    app->session()->selection.setRuns({kRun});
    app->window()->openWorkspace(WorkspaceId::Compare);
    app->window()->workspace(WorkspaceId::Compare).reveal("frontier");
    auto* frontier = panelOf<views::FrontierPanel>(*app, WorkspaceId::Compare, "frontier");
    ASSERT_TRUE(soon([&] { return frontier->hasData(); }));
    frontier->chart()->pinNext(1);
    frontier->chart()->setFocus();
    app->window()->commands().action("frontier.menu")->trigger();
    auto* menu = frontier->findChild<QMenu*>("view.menu");
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(menu->actions().contains(app->window()->commands().action("frontier.use_default")));
    menu->close();
}

TEST_F(WindowSamplerTest, TheChipDropsTheDefaultAndPutsItBack) {
    ASSERT_TRUE(store::saveDefaultSampler(folder(), {{"sampler.steps", "7"}}));
    const auto app = open();
    app->session()->selection.setRuns({kRun});
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    auto* steps = prompt->findChild<QSpinBox*>("prompt.steps");
    ASSERT_TRUE(soon([&] { return steps->value() == 7; }));
    auto* button = prompt->findChild<QToolButton*>("prompt.default_sampler_drop");
    button->click();
    EXPECT_TRUE(soon([&] { return steps->value() != 7 && button->text() == "Undo"; }));
    EXPECT_EQ(kept(), "");
    app->window()->commands().action("prompt.default_sampler")->trigger();
    EXPECT_TRUE(soon([&] { return steps->value() == 7; }));
    EXPECT_EQ(kept(), "7");
}

// Another build of the engine may have written it.
TEST_F(WindowSamplerTest, ADefaultThatDoesNotFitLeavesTheRunsOwnSettings) {
    ASSERT_TRUE(store::saveDefaultSampler(folder(), {{"sampler.gone", "7"}}));
    const auto app = open();
    app->session()->selection.setRuns({kRun});
    app->window()->openWorkspace(WorkspaceId::Inspect);
    auto* add = app->window()->findChild<QPushButton*>("evaluate.add_setting");
    auto* why = app->window()->findChild<QLabel*>("evaluate.default_sampler_text");
    auto* prompt = panelOf<views::PromptPanel>(*app, WorkspaceId::Inspect, "prompt");
    EXPECT_TRUE(soon([&] { return add->isEnabled(); }));
    EXPECT_TRUE(soon([&] { return prompt->findChild<QSpinBox*>("prompt.steps")->value() > 0; }));
    EXPECT_THAT(why->text().toStdString(), ::testing::HasSubstr("does not fit this run"));
    EXPECT_FALSE(why->parentWidget()->isHidden());
}

TEST_F(WindowSamplerTest, AnotherPointIsDecodedWithoutTheDefault) {
    ASSERT_TRUE(store::saveDefaultSampler(folder(), {{"sampler.steps", "7"}, {"sampler.noise_beam", "5"}}));
    const auto app = open();
    app->session()->selection.setRuns({kRun});
    ASSERT_TRUE(soon([&] {
        const auto data = app->session()->catalog.data(kRun);
        return data && data->defaultSampler.size() == 2;
    }));
    views::StudioContext context;
    context.catalog = &app->session()->catalog;
    context.engine = &app->session()->engine.info();
    const auto settings = views::overDefaultSampler(context, kRun, {{"sampler.steps", "2"}});
    EXPECT_EQ(settings.value("sampler.steps"), "2");
    EXPECT_TRUE(settings.contains("sampler.noise_beam"));
    EXPECT_NE(settings.value("sampler.noise_beam"), "5") << "the run's own, as in the sweep";
}

}  // namespace
}  // namespace kurve::studio
