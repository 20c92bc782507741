#include "tests/additions/count_panel.h"

#include <gtest/gtest.h>

#include <QTest>

#include "core/store/run_writer.h"
#include "tests/support/studio_parts.h"

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

}  // namespace
}  // namespace kurve::views
