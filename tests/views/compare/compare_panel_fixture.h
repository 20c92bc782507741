#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QPixmap>
#include <QTableView>
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/random_stream.h"
#include "core/store/run_writer.h"
#include "tests/support/fake_services.h"
#include "tests/support/gui_app.h"
#include "views/common/data/engine_info.h"
#include "views/common/services/project_files.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/compare/compare_panel.h"
#include "views/compare/sample_matrix.h"

namespace kurve::views {

inline nlohmann::json description() {
    Schema schema{"curve", "Curve", "", {}, {}};
    schema.fields = {integerField("seed", 1, "of all randomness"),
                     integerField("model.width", 128, "width of the model"),
                     realField("map.rho", 2.0, "control points per word"),
                     realField("train.lr", 0.001, "peak learning rate")};
    return {
        {"families", {toJson(schema)}},
        {"metrics",
         {{{"id", "valid_bleu"}, {"title", "BLEU"}, {"unit", ""}, {"better", "higher"}, {"doc", "overlap"}},
          {{"id", "bleu"}, {"title", "BLEU"}, {"unit", ""}, {"better", "higher"}, {"doc", "overlap"}},
          {{"id", "loss"},
           {"title", "loss"},
           {"unit", "nats"},
           {"better", "lower"},
           {"doc", "of training"}}}}};
}

struct RunPlan {
    const char *id, *name, *rho;
    double speed;  ///< how quickly the loss falls
    const char* output;
};

inline void writeRun(const std::filesystem::path& project, const RunPlan& plan, int steps, double started) {
    auto writer = store::RunWriter::open(project / "runs" / plan.id);
    ASSERT_TRUE(writer) << writer.error().text();
    store::RunWriter& run = **writer;
    run.set("name", plan.name);
    run.set("family", "curve");
    run.set("state", "completed");
    run.set("started", std::to_string(started));
    run.set("ended", std::to_string(started + 90));
    run.set("config", std::string("family = \"curve\"\nname = \"") + plan.name +
                          "\"\n[map]\nrho = " + plan.rho + "\n[model]\nwidth = 128\n[train]\nlr = 0.002\n");
    RandomStream random(7, plan.id);
    for (int step = 1; step <= steps; ++step) {
        const double wall = started + 0.03 * step, t = step * plan.speed;
        const double noise = 0.8 * random.uniform() - 0.4;
        run.scalar("loss", step, wall, 1.4 + 5.5 * std::exp(-t / 600) + noise);
        run.scalar("tokens_seen", step, wall, 290.0 * step);
        if (step % 250 == 0) {
            run.scalar("valid_bleu", step, wall, 62 * (1 - std::exp(-t / 900)));
            const std::string trace =
                step % 500 == 0 ? std::string("traces/step-") + std::to_string(step) + ".safetensors" : "";
            run.sample({step, 0, "from there yahweh scattered them abroad", plan.output,
                        "From there Yahweh scattered them abroad.", -0.4,
                        trace.empty() ? store::RunFile() : store::RunFile(trace)});
        }
    }
    ASSERT_TRUE(run.flush());
}

/// The panel on a project folder with runs that are written as a test wants them. KURVE_PICTURES=DIR keeps
/// what it drew.
class ComparePanelTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(dark() ? ThemeMode::Dark : ThemeMode::Light, 1.0);
        std::ofstream(root() / "project.toml") << "name = \"Test\"\n";
        auto engine = EngineInfo::fromJson(description());
        ASSERT_TRUE(engine) << engine.error().text();
        engine_ = std::move(*engine);
    }

    static bool dark() { return qEnvironmentVariableIsSet("KURVE_DARK"); }
    std::filesystem::path root() const { return folder_.path().toStdString(); }

    void addRuns(int steps = 3000) {
        writeRun(root(), {"a", "restore-difformer", "1.0", 1.0, "From there Yahweh scattered them abroad."},
                 steps, 1.7e9);
        writeRun(root(), {"b", "restore-sclm", "2.0", 1.3, "From there Yahweh scattered scattered abroad"},
                 steps, 1.7e9 + 200);
    }

    void openPanel() {
        project_ = *store::Project::open(root());
        catalog_ = std::make_unique<RunCatalog>(*project_);
        ASSERT_TRUE(test::waitFor([&] { return catalog_->loaded(); }));
        const StudioContext context{&*project_,  &commands_,     &playhead_,
                                    &selection_, catalog_.get(), &engine_};
        services_.offerTo(context);
        context.services->offer<ProjectFiles>(files_);
        panel_ = std::make_unique<ComparePanel>(context);
        panel_->resize(1180, 800);
        panel_->show();
    }

    struct : ProjectFiles {
        void askReport(const QStringList& runs, const interop::ReportView& asked) override {
            reported = runs;
            view = asked;
        }
        QStringList reported;
        std::optional<interop::ReportView> view;
    } files_;
    test::FakeServices services_;

    void compareBoth() {
        selection_.setRuns({QStringLiteral("a"), QStringLiteral("b")});
        ASSERT_TRUE(test::waitFor([&] { return panel_->hasData(); }));
    }

    std::string cellHtml(int row, int column) {
        const auto* model = child<QTableView>("compare.samples")->model();
        return model->index(row, column).data(SampleHtmlRole).toString().toStdString();
    }

    template <class Widget>
    Widget* child(const char* name) {
        return panel_->findChild<Widget*>(QString::fromLatin1(name));
    }

    void keepPicture(const QString& name) {
        const QString folder = qEnvironmentVariable("KURVE_PICTURES");
        QCoreApplication::processEvents();
        const QPixmap picture = panel_->grab();
        EXPECT_FALSE(picture.isNull());
        if (!folder.isEmpty()) picture.save(folder + QLatin1Char('/') + name);
    }

    QTemporaryDir folder_;
    EngineInfo engine_;
    CommandRegistry commands_;
    Playhead playhead_;
    Selection selection_;
    std::optional<store::Project> project_;
    std::unique_ptr<RunCatalog> catalog_;
    std::unique_ptr<ComparePanel> panel_;
};

}  // namespace kurve::views
