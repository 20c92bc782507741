#include <unistd.h>

#include <cstdlib>

#include "app/engine/commands.h"
#include "app/engine/project_template.h"
#include "app/engine/run_access.h"
#include "app/engine/training_job.h"
#include "core/base/clock.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

struct DemoRequest {
    std::string folder;
    bool headless = false;
    std::int64_t maxSteps = 0;
};

// The user's own folder, which a second demo finds again.
Result<fs::path> defaultFolder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
        return fs::path(data) / "kurve" / "sample";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
        return fs::path(home) / ".local" / "share" / "kurve" / "sample";
    return requestError("demo.no_home", "neither XDG_DATA_HOME nor HOME is set")
        .fix("name a folder: kurve demo DIR");
}

// The studio beside this program, on the copy; returns only if it cannot be started.
Status openStudio(const fs::path& project) {
    std::error_code ignored;
    const fs::path studio = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "kurve-studio";
    ::execl(studio.c_str(), studio.c_str(), project.c_str(), nullptr);
    return workError("demo.no_studio", "the window cannot be started")
        .in(studio.string())
        .fix("use kurve demo --headless");
}

Status demo(const CommonOptions& common, const DemoRequest& request, Output& out) {
    fs::path folder = request.folder;
    if (folder.empty()) {
        KURVE_TRY(folder, defaultFolder());
    }
    std::error_code ignored;
    if (!fs::exists(folder / "project.toml", ignored))
        KURVE_CHECKED(copyTemplate("sample", folder, common.force));
    if (!request.headless) return openStudio(folder);

    CommonOptions inside = common;
    inside.project = folder.string();
    KURVE_TRY(const store::Project project, store::Project::open(folder));
    const auto experiments = project.experiments();
    if (experiments.empty())
        return workError("demo.no_experiment", "the project has no experiment").in(folder.string());
    const double started = steadySeconds();
    TrainingJob job;
    job.limits.maxSteps = request.maxSteps;
    KURVE_TRY(const TrainedRun trained, trainExperiment(inside, experiments.front().string(), job));
    if (trained.failure) return *trained.failure;
    KURVE_TRY(const auto reader, store::RunReader::open(project.runFolder(trained.run)));
    const auto traces = reader->traces();
    const std::string trace =
        traces.empty() ? "" : (project.runFolder(trained.run) / traces.back().path.text()).string();
    if (trained.stoppedByUser) out.exitCode(130);
    std::string text =
        fmt::format("project {}\nrun {} in {:.0f} s\n", folder.string(), trained.run, trained.seconds);
    const auto samples = reader->samples(trained.steps);
    for (const auto& sample : samples) text += fmt::format("  {}\n    → {}\n", sample.input, sample.output);
    out.result({{"run", trained.run},
                {"trace", trace},
                {"seconds", steadySeconds() - started},
                {"project", folder.string()},
                {"state", trained.state},
                {"metrics", toJson(trained)["metrics"]}},
               text);
    return {};
}

}  // namespace

Action setupDemo(CLI::App& app) {
    auto request = std::make_shared<DemoRequest>();
    app.add_option("folder", request->folder,
                   "folder of the copy of the sample project (default: in your data folder)");
    app.add_flag("--headless", request->headless, "train the sample's default experiment without a window");
    app.add_option("--max-steps", request->maxSteps, "number of steps (default: the experiment's)")
        ->check(CLI::PositiveNumber);
    return [request](const CommonOptions& common, Output& out) { return demo(common, *request, out); };
}

}  // namespace kurve::engine
