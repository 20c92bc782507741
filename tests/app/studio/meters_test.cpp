// Resources of the live engines: in the status bar while there are any, and polled only then.
#include <gmock/gmock.h>

#include <QLabel>
#include <csignal>

#include "app/studio/engine/engine_meters.h"
#include "tests/app/studio/window_fixture.h"

namespace kurve::studio {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

EngineUse use(const char* device, double percent, double bytes) {
    EngineUse each;
    each.cpuPercent = 90;
    each.residentBytes = 1e9;
    each.device = QLatin1String(device);
    each.gpuPercent = percent;
    each.gpuBytes = bytes;
    return each;
}

TEST(EngineUse, AGpuThatEnginesShareCountsOnce) {
    const EngineUse sum = sumOf({use("cuda:0", 80, 3e9), use("cuda:0", 80, 3e9), use("cuda:1", 40, 2e9)});
    EXPECT_EQ(sum.cpuPercent.value(), 270);
    EXPECT_EQ(sum.residentBytes, 3e9);
    EXPECT_EQ(sum.gpuPercent.value(), 60);
    EXPECT_EQ(sum.gpuBytes.value(), 5e9);
    EngineUse plain;
    plain.device = "cpu";
    EXPECT_FALSE(sumOf({plain}).gpuPercent);
    EXPECT_FALSE(sumOf({plain}).cpuPercent);
}

class MetersTest : public WindowTest {
protected:
    std::string text(StudioApp& app, const char* label) {
        return app.window()->findChild<QLabel*>(QLatin1String(label))->text().toStdString();
    }
    std::string machine(StudioApp& app) { return text(app, "status.machine"); }
};

TEST_F(MetersTest, ShowTheUseOfLiveEnginesAndAreIdleWithoutOne) {
    qputenv("KURVE_FAKE", "gpu");
    auto app = open();
    auto* meters = app->window()->findChild<EngineMeters*>();
    ASSERT_NE(meters, nullptr);
    EXPECT_TRUE(meters->isIdle());
    EXPECT_EQ(machine(*app), "");
    EXPECT_THAT(text(*app, "status.disk"), ContainsRegex("Disk [0-9.]+ .B"));
    app->window()->commands().action("run.start")->trigger();
    EXPECT_TRUE(soon([&] { return machine(*app).find("CPU") != std::string::npos; })) << machine(*app);
    EXPECT_TRUE(soon([&] { return machine(*app).find("GPU 87 %, 3.2 GB") != std::string::npos; }))
        << machine(*app);
    EXPECT_THAT(machine(*app), ContainsRegex("RSS [0-9.]+ MB"));
    EXPECT_FALSE(meters->isIdle());
    const auto* label = app->window()->findChild<QLabel*>(QStringLiteral("status.machine"));
    EXPECT_THAT(label->toolTip().toStdString(), HasSubstr("RSS"));
    app->session()->control.current()->stop();
    EXPECT_TRUE(soon([&] { return meters->isIdle(); }));
    EXPECT_EQ(machine(*app), "");
}

// The engine here only follows it: what that uses says nothing of the training.
TEST_F(MetersTest, OfARunOnAnotherMachineOnlyItsGpuIsShown) {
    qputenv("KURVE_FAKE", "remote");
    auto app = open();
    app->window()->commands().action("run.start")->trigger();
    EXPECT_TRUE(soon([&] { return machine(*app) == "GPU 87 %, 3.2 GB"; })) << machine(*app);
    const auto& uses = app->window()->findChild<EngineMeters*>()->uses();
    ASSERT_EQ(uses.size(), 1U);
    EXPECT_EQ(uses[0].device, "lab cuda:0") << "not one of this machine";
    app->window()->commands().action("run.checkpoint")->trigger();
    EXPECT_TRUE(soon([&] { return machine(*app).empty(); }));
    EXPECT_EQ(app->window()->commands().action("run.sample")->statusTip(), "There is no contact with lab.");
}

}  // namespace
}  // namespace kurve::studio
