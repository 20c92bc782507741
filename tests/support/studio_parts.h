#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "core/trace/trace.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/panel.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"

namespace kurve::test {

/// A project on disk and the parts of the studio that a panel talks to; a fixture inherits it beside
/// ::testing::Test. Light, at 100 %.
class StudioParts {
protected:
    StudioParts() {
        views::applyTheme(views::ThemeMode::Light, 1.0);
        std::ofstream(folder_ / "project.toml") << "name = \"Test\"\n";
    }
    [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }
    /// The folder of a run; its traces are "traces/0.safetensors" and so on.
    [[nodiscard]] std::filesystem::path runFolder(const std::string& run) const {
        return root() / "runs" / run;
    }
    [[nodiscard]] std::filesystem::path traceFile(const std::string& run, int number) const {
        return runFolder(run) / "traces" / (std::to_string(number) + ".safetensors");
    }
    /// A finished run "run ID" with traces at these training steps.
    void writeRun(const std::string& run, const std::vector<std::pair<int, trace::Trace>>& traces) {
        auto writer = std::move(*store::RunWriter::open(runFolder(run)));
        writer->set("id", run);
        writer->set("name", "run " + run);
        writer->set("state", "completed");
        std::filesystem::create_directories(runFolder(run) / "traces");
        int number = 0;
        for (const auto& [step, trace] : traces) {
            const auto file = traceFile(run, number++);
            EXPECT_TRUE(trace::writeTrace(file, trace));
            store::TraceRow row;
            row.step = step;
            row.prompt = number;
            row.text = trace.metaText("prompt");
            row.path = store::RunFile("traces/" + file.filename().string());
            writer->trace(row);
        }
        EXPECT_TRUE(writer->flush());
    }
    /// Once the runs are written. Returns when they have been listed.
    const views::StudioContext& open() {
        auto project = store::Project::open(root());
        EXPECT_TRUE(project);
        project_.emplace(std::move(*project));
        catalog_ = std::make_unique<views::RunCatalog>(*project_);
        EXPECT_TRUE(waitFor([&] { return catalog_->loaded(); }));
        context_ = {&*project_, &commands_, &playhead_, &selection_, catalog_.get(), &engine_};
        return context_;
    }

    QApplication& app_ = guiApp();  // before the first widget
    kurve::testing::TemporaryFolder folder_;
    views::EngineInfo engine_;  ///< empty, as before the engine has said what it knows
    views::CommandRegistry commands_;
    views::Playhead playhead_;
    views::Selection selection_;
    std::optional<store::Project> project_;
    std::unique_ptr<views::RunCatalog> catalog_;
    views::StudioContext context_;
};

}  // namespace kurve::test
