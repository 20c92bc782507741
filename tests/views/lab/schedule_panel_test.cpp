#include "views/schedule/schedule_panel.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"

namespace kurve::views {
namespace {

class SchedulePanelTest : public testing::Test {
protected:
    SchedulePanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        panel_ = std::make_unique<SchedulePanel>(StudioContext());
        panel_->resize(1200, 760);
        panel_->show();
    }
    template <class T>
    T* find(const char* name) const {
        T* widget = panel_->findChild<T*>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    void choose(const char* box, const char* id) const {
        auto* kinds = find<QComboBox>(box);
        kinds->setCurrentIndex(kinds->findData(QLatin1String(id)));
    }
    QString facts() const { return find<QLabel>("schedule.facts")->text(); }

    QApplication& app_ = test::guiApp();
    std::unique_ptr<SchedulePanel> panel_;
};

TEST_F(SchedulePanelTest, ShowsTwoSchedulesAtOnce) {
    EXPECT_TRUE(panel_->hasData());
    EXPECT_TRUE(panel_->statement().startsWith("Square root (Difformer)"))
        << panel_->statement().toStdString();
    EXPECT_TRUE(facts().contains("<br>"));
    choose("schedule.b.kind", "");
    EXPECT_FALSE(facts().contains("<br>"));
}

TEST_F(SchedulePanelTest, FieldsComeFromTheKindAndAct) {
    EXPECT_EQ(find<QDoubleSpinBox>("schedule.a.steps")->value(), 2000);
    EXPECT_NE(panel_->findChild<QCheckBox*>("schedule.a.vp_rf"), nullptr);
    const QString before = facts();
    find<QDoubleSpinBox>("schedule.a.noise_factor")->setValue(4);
    EXPECT_NE(facts(), before);
    choose("schedule.a.kind", "log-linear");
    EXPECT_EQ(panel_->findChild<QDoubleSpinBox*>("schedule.a.steps"), nullptr);
    EXPECT_NE(panel_->findChild<QDoubleSpinBox*>("schedule.a.epsilon"), nullptr);
    choose("schedule.a.kind", "sqrt");  // what was set is kept
    EXPECT_EQ(find<QDoubleSpinBox>("schedule.a.noise_factor")->value(), 4);
    find<QPushButton>("schedule.a.reset")->click();
    EXPECT_EQ(find<QDoubleSpinBox>("schedule.a.noise_factor")->value(), 1);
    EXPECT_EQ(facts(), before);
}

TEST_F(SchedulePanelTest, EverySliderAndSettingDraws) {
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        applyTheme(mode, 1.0);
        for (const auto& kind : schedule::scheduleKinds()) {
            choose("schedule.a.kind", kind.id.c_str());
            for (QSlider* slider : panel_->findChildren<QSlider*>())
                for (const int position : {0, 400}) slider->setValue(position);
            EXPECT_FALSE(panel_->grab().isNull());
        }
    }
}

TEST(SchedulePanelRun, ShowsTheSelectedRunsLoss) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    std::ofstream(root / "project.toml") << "name = \"Test\"\n";
    {
        auto writer = std::move(*store::RunWriter::open(root / "runs" / "a"));
        writer->set("id", "a");
        writer->set("name", "my run");
        writer->set("state", "completed");
        writer->histogram("loss", 300,
                          {{"edges", {-4, -2, 0, 2}}, {"values", {3, 2, 1}}, {"weights", {9, 9, 9}}});
        ASSERT_TRUE(writer->flush());
    }
    const auto project = store::Project::open(root);
    ASSERT_TRUE(project);
    RunCatalog catalog(*project);
    Selection selection;
    StudioContext context;
    context.catalog = &catalog;
    context.selection = &selection;
    SchedulePanel panel(context);
    auto* caption = panel.findChild<QLabel*>(QStringLiteral("schedule.loss.caption"));
    ASSERT_NE(caption, nullptr);
    EXPECT_TRUE(caption->text().contains("select a trained run"));
    ASSERT_TRUE(test::waitFor([&] { return catalog.run(QStringLiteral("a")) != nullptr; }));
    selection.setRuns({QStringLiteral("a")});
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("loss of my run at step 300"); }))
        << caption->text().toStdString();
    selection.setRuns({});
    EXPECT_TRUE(caption->text().contains("select a trained run"));
}

TEST(ScheduleModel, CurvesOfTheSqrtSchedule) {
    const auto schedule = std::move(*schedule::makeSchedule("sqrt"));
    const ScheduleCurves curves = curvesOf(*schedule, 20);
    EXPECT_EQ(curves.stepAt.size(), 20u);
    EXPECT_NEAR(curves.stepAt[1], 106.0 / 2000, 1e-12);
    EXPECT_NEAR(curves.stepLogSnr[0], std::log(0.9853586895 / (1 - 0.9853586895)), 1e-6);
    EXPECT_NEAR(schedule->logSnr(curves.balance), 0, 0.01);
    double area = 0;  // the density integrates to the share of s between its ends
    for (std::size_t i = 1; i < curves.snrAt.size(); ++i) {
        const std::size_t reversed = curves.density.size() - i;
        area += curves.density[reversed] * (curves.logSnr[i - 1] - curves.logSnr[i]);
    }
    EXPECT_NEAR(area, curves.snrAt.back() - curves.snrAt.front(), 1e-9);
    EXPECT_EQ(curvesOf(*schedule, 5000).stepAt.size(), 2000u);
}

TEST(ScheduleModel, ReadsTheNewestUsableHistogram) {
    const std::vector<store::HistogramRow> rows{
        {100, R"({"edges":[-2,0,2,4],"values":[3,2,1],"weights":[5,0,7]})"},
        {200, R"({"edges":[-2,0,2],"values":[1.5,0.5],"weights":[1,1]})"},
        {300, "not json"},
        {400, R"({"edges":[0,1],"values":[null],"weights":[0]})"}};
    const NoiseLoss newest = noiseLossOf(rows);
    EXPECT_EQ(newest.step, 200);
    EXPECT_EQ(newest.loss, (std::vector<double>{1.5, 0.5}));
    const NoiseLoss earlier = noiseLossOf(rows, 150);
    EXPECT_EQ(earlier.logSnr, (std::vector<double>{-1, 3}));  // the empty bin is left out
    EXPECT_TRUE(noiseLossOf({}).loss.empty());
}

}  // namespace
}  // namespace kurve::views
