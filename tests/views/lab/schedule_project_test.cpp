// The laboratory in a project: presets, the loss of a run, commands; and its curves.
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/schedule/schedule_file.h"
#include "core/store/run_writer.h"
#include "tests/support/fake_services.h"
#include "tests/support/studio_parts.h"
#include "tests/views/lab/schedule_panel_fixture.h"
#include "views/common/chart/plot_card.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/data/run_catalog.h"
#include "views/common/services/inference.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/weight_curve.h"

namespace kurve::views {
namespace {

class ScheduleProjectTest : public ::testing::Test {
protected:
    ScheduleProjectTest() {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        root_ = folder_.path().toStdString();
        std::ofstream(root_ / "project.toml") << "name = \"Test\"\n";
        project_ = std::make_unique<store::Project>(*store::Project::open(root_));
        StudioContext context;
        context.project = project_.get();
        services_.offerTo(context);
        panel_ = std::make_unique<SchedulePanel>(context);
        QObject::connect(panel_.get(), &Panel::statusMessage, [this](const QString& text) { said_ = text; });
    }
    test::FakeServices services_;
    const QTemporaryDir folder_;
    std::filesystem::path root_;
    std::unique_ptr<store::Project> project_;
    std::unique_ptr<SchedulePanel> panel_;
    QString said_;
};

TEST_F(ScheduleProjectTest, APresetIsSavedListedAndOpened) {
    auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("free")));
    panel_->save(QStringLiteral("no/way"));
    EXPECT_TRUE(said_.contains("letters"));
    panel_->save(QStringLiteral("mine"));
    ASSERT_TRUE(test::waitFor([&] { return said_.contains("file:schedules/mine.toml"); }))
        << said_.toStdString();
    const auto saved = schedule::makeSchedule("file:schedules/mine.toml", {}, root_);
    ASSERT_TRUE(saved) << saved.error().text();
    EXPECT_EQ((*saved)->logSnr(0.25), 2.5);
    panel_->findChild<QPushButton*>(QStringLiteral("schedule.use"))->click();
    EXPECT_EQ(services_.schedules, QStringList{"file:schedules/mine.toml"});
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("sqrt")));
    panel_->save(QStringLiteral("mine"));
    EXPECT_TRUE(said_.contains("press Save again"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("file:mine.toml")));
    EXPECT_EQ(panel_->scheduleA().kind, "free");
    EXPECT_EQ(panel_->scheduleA().file, "mine.toml");
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), 5u);
    panel_->undo();
    EXPECT_EQ(panel_->scheduleA().kind, "sqrt");
}

TEST_F(ScheduleProjectTest, UndoNamesTheFileThatHoldsThePoints) {
    auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("free")));
    const auto label = [this] {
        return panel_->findChild<QWidget*>("schedule.a")->findChild<ElidedLabel*>()->text().toStdString();
    };
    panel_->save(QStringLiteral("mine"));
    ASSERT_TRUE(test::waitFor([&] { return panel_->scheduleA().file == "mine.toml"; }));
    panel_->findChild<QCheckBox*>(QStringLiteral("schedule.zeroTerminal"))->toggle();
    EXPECT_EQ(panel_->scheduleA().file, "");
    EXPECT_EQ(label(), "");
    panel_->undo();
    EXPECT_EQ(panel_->scheduleA().file, "mine.toml");
    EXPECT_EQ(label(), "schedules/mine.toml");
    panel_->redo();
    for (int press = 0; press < 2; ++press) panel_->save(QStringLiteral("mine"));  // the second replaces it
    ASSERT_TRUE(test::waitFor([&] { return panel_->scheduleA().file == "mine.toml"; }));
    panel_->undo();
    EXPECT_EQ(panel_->scheduleA().file, "") << "the file holds other points now";
    EXPECT_EQ(label(), "");
    panel_->redo();
    EXPECT_EQ(label(), "schedules/mine.toml");
}

TEST_F(ScheduleProjectTest, TheDraftGetsTheShownPointsWhereTheFileHoldsOthers) {
    auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("free")));
    panel_->save(QStringLiteral("mine"));
    ASSERT_TRUE(test::waitFor([&] { return panel_->scheduleA().file == "mine.toml"; }));
    schedule::FreeCurve other = panel_->scheduleA().curve();
    other.points[2].logSnr += 1;
    std::ofstream(root_ / "schedules/mine.toml") << schedule::scheduleFileText(other);
    panel_->findChild<QPushButton*>(QStringLiteral("schedule.use"))->click();
    EXPECT_EQ(services_.schedules.last().toStdString(), schedule::inlineText(panel_->scheduleA().curve()));
}

TEST_F(ScheduleProjectTest, TheCopiedSettingHasTheParametersOfA) {
    const auto copied = [this] {
        panel_->findChild<QAction*>(QStringLiteral("schedule.export.text"))->trigger();
        return QGuiApplication::clipboard()->text().toStdString();
    };
    auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("linear")));
    panel_->findChild<QDoubleSpinBox*>(QStringLiteral("schedule.a.steps"))->setValue(500);
    EXPECT_EQ(copied(), "linear") << "the sampler has its own steps";
    panel_->findChild<QDoubleSpinBox*>(QStringLiteral("schedule.a.beta_max"))->setValue(8);
    const auto made = schedule::makeSchedule(copied());
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_NEAR((*made)->logSnr(0.75), panel_->scheduleA().make()->logSnr(0.75), 0.1);
}

TEST_F(ScheduleProjectTest, APresetIsListedAlsoIfAnExportFollowsAtOnce) {
    const auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    const QString table = folder_.filePath(QStringLiteral("table.csv"));
    panel_->save(QStringLiteral("mine"));
    panel_->findChild<QAction*>(QStringLiteral("schedule.export.csv"))->trigger();
    Q_EMIT panel_->findChild<QFileDialog*>()->fileSelected(table);
    EXPECT_TRUE(test::waitFor([&] { return said_.contains("table.csv"); })) << said_.toStdString();
    EXPECT_TRUE(test::waitFor([&] { return kinds->findData(QStringLiteral("file:mine.toml")) >= 0; }));
}

TEST_F(ScheduleProjectTest, SavingMovesNothingUnderTheMouse) {
    panel_->resize(1200, 760);
    panel_->show();
    auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("free")));
    const auto measured = [this] {
        std::vector<QPoint> positions;
        for (const char* name : {"schedule.save", "schedule.use", "schedule.swap", "schedule.steps"}) {
            const auto* control = panel_->findChild<QWidget*>(QLatin1String(name));
            positions.push_back(control->mapTo(panel_.get(), QPoint()));
        }
        return positions;
    };
    const auto positions = [&measured] {  // once all layouts are done
        std::vector<QPoint> now;
        EXPECT_TRUE(test::waitFor([&] {
            QTest::qWait(50);
            const auto before = std::exchange(now, measured());
            return before == now;
        }));
        return now;
    };
    const auto before = positions();
    panel_->save(QStringLiteral("mine"));
    ASSERT_TRUE(test::waitFor([&] { return panel_->scheduleA().file == "mine.toml"; }));
    EXPECT_EQ(positions(), before);
    QStringList shown;
    for (const auto* label : panel_->findChildren<QLabel*>()) shown << label->text();
    EXPECT_TRUE(shown.contains("schedules/mine.toml")) << shown.join('|').toStdString();
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
                          {{"edges", {-4, -2, 0, 2}},
                           {"values", {3, 2, 1}},
                           {"weights", {9, 9, 9}},
                           {"probability", {0.25, 0.5, 0.25}}});
        ASSERT_TRUE(writer->flush());
        writer = std::move(*store::RunWriter::open(root / "runs" / "b"));
        writer->set("id", "b");
        writer->set("name", "second run");
        writer->set("state", "completed");
        writer->histogram("loss", 700,
                          {{"edges", {-4, -2, 0, 2}}, {"values", {6, 5, 4}}, {"weights", {9, 9, 9}}});
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
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("my run"); }))
        << caption->text().toStdString();
    selection.setRuns({QStringLiteral("a"), QStringLiteral("b")});
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("second run"); }));
    EXPECT_TRUE(caption->text().contains("my run")) << caption->text().toStdString();
    const auto shown = [&](Qt::PenStyle dash) {
        std::vector<double> values;
        QCustomPlot* plot = panel.findChild<ScheduleCharts*>()->cards()[3]->plot();
        for (int i = 0; i < plot->graphCount(); ++i)
            if (plot->graph(i)->pen().style() == dash && plot->graph(i)->data()->size() == 3)
                for (const QCPGraphData& point : *plot->graph(i)->data()) values.push_back(point.value);
        return values;
    };
    EXPECT_EQ(shown(Qt::SolidLine), (std::vector<double>{3, 2, 1}));
    EXPECT_EQ(shown(Qt::DashDotLine), (std::vector<double>{6, 5, 4})) << "another dash for the second";
    EXPECT_EQ(shown(Qt::DotLine), (std::vector<double>{1.5, 3, 1.5}))
        << "probabilities, the largest as high as the highest loss; the second run has none";
    EXPECT_EQ(caption->text().count("probability, scaled"), 1) << caption->text().toStdString();
    // Flatten shows what it would do; only a click does it.
    auto* bar = panel.findChild<QLabel*>(QStringLiteral("schedule.difference"))->parentWidget();
    EXPECT_TRUE(bar->isHidden());
    panel.proposeFlat();
    EXPECT_FALSE(bar->isHidden());
    EXPECT_EQ(panel.scheduleA().kind, "sqrt");
    panel.findChild<QPushButton*>(QStringLiteral("schedule.dismiss"))->click();
    EXPECT_TRUE(bar->isHidden());
    EXPECT_EQ(panel.scheduleA().kind, "sqrt");
    panel.proposeFlat();
    panel.findChild<QPushButton*>(QStringLiteral("schedule.apply"))->click();
    EXPECT_EQ(panel.scheduleA().kind, "free");
    selection.setRuns({});
    EXPECT_TRUE(caption->text().contains("select a trained run"));
}

struct SilentInference : Inference {
    void ask(InferenceRequest request, Done, QObject*) override { requests.push_back(std::move(request)); }
    std::vector<InferenceRequest> requests;
};

class ScheduleDecoderTest : public test::StudioParts, public ::testing::Test {
protected:
    ScheduleDecoderTest() {
        Schema words, documents;
        words.family = "words";
        words.fields = {realField("sampler.noise", 0, "on a vector")};
        documents.family = "documents";
        engine_ = *EngineInfo::fromJson({{"families", {toJson(words), toJson(documents)}}});
    }
    void write(const std::string& id, const char* family, const std::string& references) {
        auto writer = std::move(*store::RunWriter::open(runFolder(id)));
        for (const auto& [key, value] :
             {std::pair{"id", id}, {"name", id}, {"family", std::string(family)}, {"references", references}})
            writer->set(key, value);
        store::TraceRow trace;
        trace.step = 8;
        trace.path = store::RunFile("traces/one.safetensors");
        trace.text = "Leo ran home.";
        writer->trace(trace);
        ASSERT_TRUE(writer->flush());
    }
};

TEST_F(ScheduleDecoderTest, ARunIsDecodedByItselfOrByTheRunWhoseVectorsItPredicts) {
    write("reader", "words", "[]");
    write("story", "documents",
          R"([{"field":"model.concepts","run":"reader","checkpoint":"step-00001500","references":[]}])");
    write("lonely", "documents", "[]");
    open();
    SilentInference engine;
    context_.services->offer<Inference>(engine);
    SchedulePanel panel(context_);
    panel.resize(1200, 760);
    panel.show();
    const auto asked = [&](const char* run) {
        engine.requests.clear();
        selection_.setRuns({QLatin1String(run)});
        return test::waitFor([&] { return !engine.requests.empty(); }, 3000);
    };
    ASSERT_TRUE(asked("story"));
    EXPECT_EQ(engine.requests[0].run, "reader");
    EXPECT_EQ(engine.requests[0].checkpoint, "1500");
    EXPECT_EQ(engine.requests[0].body["input"][0], "Leo ran home.");
    ASSERT_TRUE(asked("reader"));
    EXPECT_EQ(engine.requests[0].checkpoint, "last");
    engine.requests.clear();
    selection_.setRuns({QStringLiteral("lonely")});
    auto* note = panel.findChild<QLabel*>("schedule.effect.note");
    EXPECT_TRUE(test::waitFor([&] { return !note->text().contains("Loading"); })) << "a trace of tokens";
    EXPECT_TRUE(engine.requests.empty());
}

TEST(SchedulePanelCommands, ButtonsAreCommandsWithReasons) {
    test::guiApp();
    CommandRegistry commands;
    StudioContext context;
    context.commands = &commands;
    SchedulePanel panel(context);
    const auto why = [&](const char* id) { return commands.entry(QLatin1String(id))->refusal; };
    EXPECT_TRUE(why("schedule.sample").contains("Select a run"));
    EXPECT_EQ(why("schedule.flatten"), why("schedule.sample"));
    EXPECT_TRUE(why("schedule.apply").contains("No proposed schedule"));
    EXPECT_EQ(why("schedule.swap"), "");
    const std::string kind = panel.scheduleA().kind;
    commands.action("schedule.swap")->trigger();
    EXPECT_NE(panel.scheduleA().kind, kind);
    auto* other = panel.findChild<QComboBox*>("schedule.b.kind");
    other->setCurrentIndex(other->findData(QString()));
    EXPECT_TRUE(why("schedule.swap").contains("schedule B"));
    EXPECT_EQ(why("schedule.points"), "");
    commands.action("schedule.points")->trigger();
    EXPECT_TRUE(panel.scheduleA().drawn());
    EXPECT_TRUE(why("schedule.points").contains("already"));
    test::FakeServices services;
    services.offerTo(context);
    commands.action("schedule.use")->trigger();
    EXPECT_EQ(services.schedules.size(), 1);
    commands.action("schedule.copy")->trigger();
    EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith("free")) << "as a setting";
}

TEST(ScheduleModel, CurvesOfTheSqrtSchedule) {
    const auto schedule = std::move(*schedule::makeSchedule("sqrt"));
    const schedule::ScheduleCurves curves = schedule::curvesOf(*schedule, schedule::ScheduleUse());
    EXPECT_EQ(curves.stepAt.size(), 20u);
    EXPECT_NEAR(curves.stepAt[1], 106.0 / 2000, 1e-12);
    EXPECT_NEAR(curves.stepLogSnr[0], std::log(0.9853586895 / (1 - 0.9853586895)), 1e-6);
    EXPECT_NEAR(schedule->logSnr(curves.balance), 0, 0.01);
    EXPECT_NEAR(curves.density.area, 1, 1e-9);
    schedule::ScheduleUse many;
    many.steps = 5000;
    EXPECT_EQ(schedule::curvesOf(*schedule, many).stepAt.size(), 2000u);
}

TEST(ScheduleModel, CustomWeightsWeighTheLevels) {
    const auto schedule = std::move(*schedule::makeSchedule("cosine"));
    schedule::ScheduleUse use;
    use.weight = schedule::kOwnWeight;
    use.weightPoints = {{-4, 2}, {4, 2}};  // the same everywhere: p itself, with area 1
    const schedule::ScheduleCurves flat = schedule::curvesOf(*schedule, use),
                                   plain = schedule::curvesOf(*schedule, schedule::ScheduleUse());
    for (std::size_t i = 0; i < flat.weighted.size(); i += 50)
        EXPECT_NEAR(flat.weighted[i], plain.weighted[i], 1e-9 * plain.weighted[i] + 1e-12);
    use.weightPoints = {{-1e-3, 1e-9}, {1e-3, 1}};  // nothing below log-SNR 0
    const schedule::ScheduleCurves high = schedule::curvesOf(*schedule, use);
    double area = 0;
    for (std::size_t i = 0; i < high.weighted.size(); ++i) {
        if (high.density.logSnr[i] < -0.1) EXPECT_LT(high.weighted[i], 1e-6);
        area += high.weighted[i] / high.density.density[i] * high.density.mass[i];
    }
    EXPECT_NEAR(area, 1, 1e-9);
}

TEST(ScheduleModel, ReadsTheNewestUsableHistogram) {
    const GrowingList<store::HistogramRow> rows{
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
    EXPECT_TRUE(newest.gradient.empty()) << "a run that did not measure it";
    const NoiseLoss measured =
        noiseLossOf({{5, R"({"edges":[-2,0,2],"values":[1.5,0.5],"weights":[1,1],"gradient":[null,3.5]})"}});
    EXPECT_EQ(measured.gradientLogSnr, (std::vector<double>{1}));
    EXPECT_EQ(measured.gradient, (std::vector<double>{3.5}));
    EXPECT_TRUE(measured.probability.empty()) << "no step sampler chose";
    const NoiseLoss chosen = noiseLossOf(
        {{5, R"({"edges":[-2,0,2],"values":[1.5,null],"weights":[1,0],"probability":[0.75,0.25]})"}});
    EXPECT_EQ(chosen.loss.size(), 1U);
    EXPECT_EQ(chosen.probabilityLogSnr, (std::vector<double>{-1, 1}))
        << "also of bins that nothing fell into";
    const QStringList read = lossReadout({RunLoss{QStringLiteral("run"), Qt::red, chosen}, {}}, 1);
    EXPECT_TRUE(read.join(' ').contains("probability 0.25")) << read.join(' ').toStdString();
}

}  // namespace
}  // namespace kurve::views
