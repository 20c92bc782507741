#include "app/engine/run_access.h"

#include <sys/utsname.h>
#include <torch/version.h>

#include <cmath>

#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

// "run" lies in PROJECT/runs; copied elsewhere it needs --project for its data.
Result<fs::path> projectOf(const CommonOptions& common, const fs::path& runFolder) {
    if (!common.project.empty()) {
        KURVE_TRY(const store::Project project, store::Project::open(common.project));
        return project.folder();
    }
    KURVE_TRY(const store::Project project, store::Project::findUpward(runFolder));
    return project.folder();
}

// The record without what is gone from disk, and with what a kill kept from being recorded.
std::vector<store::CheckpointRow> presentCheckpoints(std::vector<store::CheckpointRow> recorded,
                                                     const fs::path& run) {
    std::error_code ignored;
    std::erase_if(recorded, [&](const auto& row) { return !fs::exists(run / row.path, ignored); });
    for (const auto& entry : fs::directory_iterator(run / "checkpoints", ignored)) {
        store::CheckpointRow row;
        row.path = "checkpoints/" + entry.path().filename().string();
        const bool known = std::any_of(recorded.begin(), recorded.end(),
                                       [&](const auto& other) { return other.path == row.path; });
        if (known || !fs::exists(entry.path() / "state.json", ignored) ||
            entry.path().filename().c_str()[0] == '.')
            continue;
        const auto state = train::readCheckpoint(entry.path());
        if (!state) continue;
        row.step = state->step;
        row.metric = state->metric;
        recorded.push_back(std::move(row));
    }
    std::sort(recorded.begin(), recorded.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return recorded;
}

const store::CheckpointRow* bestOf(const OpenRun& run) {
    const bool higher = run.config.text("checkpoint.metric") != "valid_loss";
    const store::CheckpointRow* best = nullptr;
    for (const auto& row : run.checkpoints) {
        if (std::isnan(row.metric)) continue;
        if (best == nullptr || (higher ? row.metric > best->metric : row.metric < best->metric)) best = &row;
    }
    return best;
}

Result<fs::path> checkpointFolder(const OpenRun& run, const std::string& which) {
    std::error_code ignored;
    if (which.find('/') != std::string::npos) return fs::path(which);
    if (fs::exists(run.folder / "checkpoints" / which / "state.json", ignored))
        return run.folder / "checkpoints" / which;
    if (run.checkpoints.empty())
        return requestError("checkpoint.missing", "the run has no checkpoint yet").in(run.folder.string());
    if (which.empty() || which == "last") return run.folder / run.checkpoints.back().path;
    if (which == "best") {
        const auto* best = bestOf(run);
        return run.folder / (best != nullptr ? best->path : run.checkpoints.back().path);
    }
    std::vector<std::string> steps;
    for (const auto& row : run.checkpoints) {
        steps.push_back(std::to_string(row.step));
        if (which == steps.back()) return run.folder / row.path;
    }
    return requestError("checkpoint.missing", "the run has no checkpoint \"" + which + "\"")
        .in(run.folder.string())
        .fix("there are last, best, " + join(steps, ", "));
}

}  // namespace

Result<fs::path> findRun(const CommonOptions& common, const std::string& name) {
    std::error_code ignored;
    if (fs::exists(fs::path(name) / "run.db", ignored)) return fs::canonical(name, ignored);
    KURVE_TRY(const store::Project project, projectFor(common, fs::current_path(ignored)));
    const fs::path folder = project.runFolder(name);
    if (name.find('/') == std::string::npos && fs::exists(folder / "run.db", ignored)) return folder;
    std::vector<std::string> ids;
    for (const auto& entry : fs::directory_iterator(project.runsFolder(), ignored))
        ids.push_back(entry.path().filename().string());
    const auto near = nearestWord(name, ids);
    return requestError("run.missing", "there is no run \"" + name + "\" in " + project.folder().string())
        .fix(near ? "did you mean " + *near + "?" : "kurve runs lists them");
}

Result<store::Project> projectFor(const CommonOptions& common, const fs::path& near) {
    return common.project.empty() ? store::Project::findUpward(near) : store::Project::open(common.project);
}

Result<fs::path> findExperiment(const CommonOptions& common, const std::string& name) {
    std::error_code ignored;
    if (fs::is_directory(name, ignored))
        return requestError("io.open", "is a folder, expected an experiment file").in(name);
    if (fs::exists(name, ignored)) return fs::absolute(name, ignored);
    std::vector<std::string> known;
    if (const auto project = projectFor(common, fs::current_path(ignored)))
        for (const auto& path : project->experiments()) {
            if (path.filename() == name || path.stem() == name) return path;
            known.push_back(path.stem().string());
        }
    const auto near = nearestWord(fs::path(name).stem().string(), known);
    return requestError("experiment.missing", "there is no such experiment file")
        .in(name)
        .fix(near            ? "did you mean " + *near + "?"
             : known.empty() ? ""
                             : "the project has " + join(known, ", "));
}

std::vector<Override> overridesOf(const CommonOptions& common) {
    std::vector<Override> all = common.sets;
    if (common.seed) all.emplace_back("seed", std::to_string(*common.seed));
    return all;
}

Result<OpenRun> openRun(const CommonOptions& common, const std::string& name) {
    OpenRun run;
    KURVE_TRY(run.folder, findRun(common, name));
    KURVE_TRY(run.project, projectOf(common, run.folder));
    KURVE_TRY(const auto reader, store::RunReader::open(run.folder));
    run.values = reader->values();
    run.checkpoints = presentCheckpoints(reader->checkpoints(), run.folder);
    run.id = run.values.contains("id") ? run.values["id"] : run.folder.filename().string();
    if (!run.values.contains("config"))
        return workError("run.no_config", "the run's record holds no settings")
            .in((run.folder / "run.db").string());
    KURVE_TRY(run.config, RunConfig::parse(run.values["config"], (run.folder / "run.db").string(),
                                           models::schemaLookup()));
    run.family = models::findFamily(run.config.family());
    return run;
}

Result<ChosenCheckpoint> chooseCheckpoint(const OpenRun& run, const std::string& which) {
    ChosenCheckpoint chosen;
    KURVE_TRY(chosen.folder, checkpointFolder(run, which));
    auto state = train::readCheckpoint(chosen.folder);
    if (!state) {
        Error error = state.error();
        for (const auto& row : run.checkpoints)
            if (run.folder / row.path != chosen.folder && row.step < run.checkpoints.back().step)
                error.remedy = "use the one before it: --checkpoint " + std::to_string(row.step);
        return error;
    }
    chosen.state = std::move(*state);
    for (const auto& row : run.checkpoints)
        if (run.folder / row.path == chosen.folder) chosen.sha256 = row.sha256;
    return chosen;
}

train::TraceOrigin LoadedModel::origin() const {
    return {run.id, checkpoint.folder.filename().string(), checkpoint.sha256, checkpoint.state.step};
}

std::uint64_t LoadedModel::seed(const CommonOptions& common) const {
    return common.seed.value_or(static_cast<std::uint64_t>(sampler.integer("seed")));
}

Result<LoadedModel> loadModel(const CommonOptions& common, const std::string& run,
                              const std::string& checkpoint) {
    LoadedModel loaded;
    KURVE_TRY(loaded.run, openRun(common, run));
    KURVE_TRY(loaded.device, chooseDevice(common.device));
    for (const auto& [key, value] : common.sets)
        if (key.rfind("sampler.", 0) != 0 && loaded.run.config.schema().find(key) != nullptr)
            return requestError("sample.not_sampler", "only sampler.* can be set here")
                .at(key)
                .fix("kurve fork starts a run with other settings");
    KURVE_TRY(loaded.sampler, loaded.run.config.with(common.sets));
    KURVE_TRY(loaded.checkpoint, chooseCheckpoint(loaded.run, checkpoint));
    const auto& config = loaded.run.config;
    KURVE_TRY(loaded.data, text::prepareDataset(config, loaded.run.project, preparationProgress(common)));
    KURVE_CHECKED(train::checkFits(loaded.checkpoint.state, config, loaded.data.target->hash(),
                                   models::schemaLookup(), loaded.checkpoint.folder));
    KURVE_TRY(loaded.model,
              loaded.run.family->create(config, train::shapeOf(loaded.data, config), loaded.device));
    KURVE_CHECKED(train::loadWeights(loaded.checkpoint.folder, loaded.model->module()));
    loaded.model->module().eval();
    return loaded;
}

text::Progress preparationProgress(const CommonOptions& common) {
    auto line = std::make_shared<ProgressLine>(common.quiet);
    return [line](double fraction, const std::string& what) {
        line->show(fraction, what);
        if (fraction >= 1) line->clear();
    };
}

std::string environmentText(c10::Device device) {
    utsname system{};
    ::uname(&system);
    nlohmann::json facts = toJson(platform());
    facts["version"] = versionText();
    facts["commit"] = commitText();
    facts["libtorch"] = TORCH_VERSION;
    facts["device"] = device.str();
    facts["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
    facts["host"] = system.nodename;
    return facts.dump();
}

}  // namespace kurve::engine
