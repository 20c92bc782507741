#include "tests/additions/count_panel.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QTest>

#include "core/store/run_writer.h"
#include "tests/support/studio_parts.h"
#include "views/common/services/studio.h"

namespace kurve::views {
namespace {

class CountPanelTest : public ::testing::Test, public test::StudioParts {};

TEST_F(CountPanelTest, CountsAndSaysSo) {
    CountPanel panel(open());
    EXPECT_FALSE(panel.hasData());
    {
        auto writer = store::RunWriter::open(root() / "runs/a");
        ASSERT_TRUE(writer);
        (*writer)->set("state", "completed");
    }
    catalog_->refreshSoon();
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel.hasData(); }, 10000));
    QString said;
    QObject::connect(&panel, &Panel::statusMessage, [&](const QString& text) { said = text; });
    commands_.action(QStringLiteral("count.say"))->trigger();
    EXPECT_EQ(said, "The project has 1 runs.");
    EXPECT_FALSE(panel.grab().isNull());
}

TEST_F(CountPanelTest, ItsStateSurvivesAndItOpensATrace) {
    struct : Traces {
        void openNewest() override { ++opened; }
        int opened = 0;
    } traces;
    writeRun("a", {});
    (*store::RunWriter::open(root() / "runs/b"))->set("state", "failed");
    const StudioContext& context = open();
    context.services->offer<Traces>(traces);
    ASSERT_TRUE(test::waitFor([&] { return catalog_->runs().size() == 2; }));
    QJsonObject saved;
    {
        CountPanel panel(context);
        QObject::connect(&panel, &Panel::stateChanged, [&] { saved = panel.saveState(); });
        EXPECT_EQ(panel.statement(), "The project has 2 runs.");
        panel.findChild<QCheckBox*>("count.completed")->click();
        EXPECT_EQ(panel.statement(), "The project has 1 runs.");
        commands_.action(QStringLiteral("count.open"))->trigger();
        EXPECT_EQ(traces.opened, 1);
    }
    CommandRegistry commands;
    StudioContext next = context;
    next.commands = &commands;
    CountPanel again(next);
    again.restoreState(saved);
    EXPECT_EQ(again.statement(), "The project has 1 runs.");
}

}  // namespace
}  // namespace kurve::views
