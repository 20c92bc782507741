#include "app/engine/run_access.h"

#include <sys/utsname.h>
#include <torch/nn/module.h>
#include <torch/version.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/run_resolver.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/config/first_checkpoint.h"
#include "core/interop/import_run.h"
#include "core/schedule/schedule_file.h"
#include "core/store/run_mirror.h"
#include "core/text/run_tokenizers.h"
#include "core/train/checkpoint_manager.h"
#include "core/train/make_trainer.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

/// Copied out of its project, a run that may be alone has its own folder for one: nothing else is found
/// there.
Result<fs::path> projectOf(const CommonOptions& common, const fs::path& runFolder, MayBeAlone mayBeAlone) {
    const auto project = projectFor(common, runFolder);
    if (project) return project->folder();
    const bool alone = common.project.empty() && project.error().code == "project.missing";
    if (alone && mayBeAlone == MayBeAlone::Yes) return runFolder;
    return project.error();
}

/// The N of "avgN".
std::optional<std::size_t> averagedCount(const std::string& which) {
    if (!which.starts_with("avg") || which.size() == 3) return std::nullopt;
    std::size_t count = 0;
    const char* end = which.data() + which.size();
    const auto [stop, problem] = std::from_chars(which.data() + 3, end, count);
    if (problem != std::errc() || stop != end || count == 0) return std::nullopt;
    return count;
}

bool isAt(const OpenRun& run, const store::CheckpointRow& row, const fs::path& folder) {
    return run.folder / row.path.text() == folder;
}

Result<fs::path> checkpointFolder(const OpenRun& run, const std::string& which) {
    if (which.find('/') != std::string::npos) return fs::path(which);
    KURVE_TRY(const store::CheckpointRow row, findCheckpoint(run, which));
    return row.path.in(run.folder);
}

/// Of a run that trains: when there will be one.
Error noCheckpoint(const OpenRun& run) {
    const auto value = run.values.find("state");
    const std::string state = value == run.values.end() ? "" : value->second;
    if (state != "running" && state != "paused")
        return requestError("checkpoint.missing", "the run has no checkpoint")
            .in(run.folder.string())
            .fix("train it again, or restore its folder checkpoints");
    Error error = requestError("checkpoint.missing", "the run has no checkpoint yet").in(run.folder.string());
    const auto first = firstCheckpoint(run.config, run.values);
    if (!first) return error;
    error.message += fmt::format(": the first comes at step {}", first->step);
    if (state == "running" && first->seconds >= 0)
        error.message += fmt::format(", in about {:.0f} s", std::ceil(first->seconds));
    return std::move(error).fix(state == "paused" ? "resume the paused training (F6), or save one now (F8)"
                                                  : "wait for it, or save one now (F8 in the studio)");
}

}  // namespace

Result<store::CheckpointRow> findCheckpoint(const OpenRun& run, const std::string& which) {
    for (const auto& row : run.checkpoints)
        if (row.path.name() == which) return row;
    if (run.checkpoints.empty()) KURVE_CHECKED(checkNoLink(run.folder / "checkpoints"));
    if (run.checkpoints.empty()) return noCheckpoint(run);
    if (which.empty() || which == "last") return run.checkpoints.back();
    if (which == "best") {
        const auto order = train::RetentionPolicy::of(run.config).bestFirst(run.checkpoints);
        return order.empty() ? run.checkpoints.back() : run.checkpoints[order.front()];
    }
    if (averagedCount(which))
        return requestError("checkpoint.average", "a mean of checkpoints has no optimizer state")
            .in(run.folder.string())
            .fix("kurve sample, trace and eval take " + which + "; name one checkpoint");
    std::vector<std::string> steps;
    for (const auto& row : run.checkpoints) {
        steps.push_back(std::to_string(row.step));
        if (which == steps.back()) return row;
    }
    return requestError("checkpoint.missing", "the run has no checkpoint \"" + which + "\"")
        .in(run.folder.string())
        .fix("there are last, best, " + join(steps, ", "));
}

Result<fs::path> findRun(const CommonOptions& common, const std::string& name) {
    std::error_code problem, ignored;
    const auto unreadable = [&](const fs::path& folder) {
        return workError("io.open", "the run cannot be read: " + problem.message())
            .in(folder.string())
            .fix("check the permissions of its folder");
    };
    if (fs::exists(fs::path(name) / "run.db", problem)) {
        // Not through a link: what it leads to is a run of another project, or none.
        fs::path folder = fs::absolute(name, ignored).lexically_normal();
        if (!folder.has_filename()) folder = folder.parent_path();
        return fs::canonical(folder.parent_path(), ignored) / folder.filename();
    }
    if (problem) return unreadable(name);
    KURVE_TRY(const store::Project project, projectFor(common, fs::current_path(ignored)));
    const fs::path folder = project.runFolder(name);
    if (isFileName(name) && fs::exists(folder / "run.db", problem)) return folder;
    if (isFileName(name) && problem) return unreadable(folder);
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

std::function<void(const std::string&)> notifier(const CommonOptions& common) {
    return [quiet = common.quiet](const std::string& text) {
        if (!quiet) logLine("kurve: " + text);
    };
}

void noteWithoutBest(const CommonOptions& common, const OpenRun& run, const std::string& which) {
    if (which != "best" || run.checkpoints.empty() ||
        !train::RetentionPolicy::of(run.config).bestFirst(run.checkpoints).empty())
        return;
    notifier(common)(fmt::format("no checkpoint of {} has a {}; “best” is the last, step {}", run.id,
                                 run.config.text("checkpoint.metric"), run.checkpoints.back().step));
}

Result<std::unique_ptr<store::ProjectIndex>> indexOf(const CommonOptions& common,
                                                     const store::Project& project) {
    KURVE_TRY(auto index, store::ProjectIndex::openRepaired(project));
    if (!index->notice().empty()) notifier(common)(index->notice());
    return index;
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

Result<OpenRun> openRun(const CommonOptions& common, const std::string& name, MayBeAlone mayBeAlone) {
    OpenRun run;
    KURVE_TRY(run.folder, findRun(common, name));
    KURVE_TRY(run.project, projectOf(common, run.folder, mayBeAlone));
    KURVE_TRY(const auto reader, store::RunReader::open(run.folder));
    run.values = reader->values();
    run.checkpoints = train::presentCheckpoints(run.folder, reader->checkpoints());
    if (run.values.contains(store::kMachineKey))  // that machine has pruned what its record does not name
        std::erase_if(run.checkpoints, [](const auto& row) { return row.saved == 0; });
    const auto id = run.values.find("id");  // files are named after it
    run.id = id != run.values.end() && isFileName(id->second) ? id->second : run.folder.filename().string();
    if (!run.values.contains("config"))
        return workError("run.no_config", "the run's record holds no settings")
            .in((run.folder / "run.db").string())
            .fix(run.values["family"] == interop::kImportedFamily
                     ? "choose a run that Kurve trained; an imported one has no model"
                     : "");
    KURVE_TRY(run.config, RunConfig::parse(run.values["config"], (run.folder / "run.db").string(),
                                           models::schemaLookup()));
    run.family = models::findFamily(run.config.family());
    return run;
}

namespace {

struct SoundCheckpoint {
    std::int64_t step;
    const char* where;  ///< "before" or "after" the damaged one
};

/// Instead of the damaged checkpoint in `folder`: the sound one that was saved last before it, else the next
/// one after it.
std::optional<SoundCheckpoint> soundInstead(const OpenRun& run, const fs::path& folder) {
    const auto& all = run.checkpoints;
    const auto sound = [&](const auto& one) {
        const auto path = one.path.in(run.folder);
        return path && train::readCheckpoint(*path, one.bytes);
    };
    const auto here =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return isAt(run, one, folder); });
    if (here == all.end()) return std::nullopt;
    const auto before = std::find_if(std::make_reverse_iterator(here), all.rend(), sound);
    if (before != all.rend()) return SoundCheckpoint{before->step, "before"};
    const auto after = std::find_if(std::next(here), all.end(), sound);
    return after == all.end() ? std::nullopt : std::optional(SoundCheckpoint{after->step, "after"});
}

std::string remedyOfDamage(const OpenRun& run, const fs::path& folder) {
    if (const auto sound = soundInstead(run, folder))
        return fmt::format("use the sound one {} it: --checkpoint {}", sound->where, sound->step);
    return "no other checkpoint is sound; train it again (kurve reproduce " + run.id + ")";
}

}  // namespace

std::optional<std::int64_t> intactCheckpoint(const OpenRun& run, const std::string& damaged) {
    const auto folder = checkpointFolder(run, damaged);
    const auto sound = folder ? soundInstead(run, *folder) : std::nullopt;
    return sound ? std::optional(sound->step) : std::nullopt;
}

Result<ChosenCheckpoint> chooseCheckpoint(const OpenRun& run, const std::string& which) {
    ChosenCheckpoint chosen;
    KURVE_TRY(chosen.folder, checkpointFolder(run, which));
    const auto row = std::find_if(run.checkpoints.begin(), run.checkpoints.end(),
                                  [&](const auto& one) { return isAt(run, one, chosen.folder); });
    const bool listed = row != run.checkpoints.end();
    auto state = train::readCheckpoint(chosen.folder, listed ? std::optional(row->bytes) : std::nullopt);
    if (!state) {
        Error error = state.error();
        if (listed) error.remedy = remedyOfDamage(run, chosen.folder);
        return error;
    }
    chosen.state = std::move(*state);
    if (listed) chosen.sha256 = row->sha256;
    return chosen;
}

namespace {

/// The names of the checkpoints that `which` means now, best first.
Result<std::vector<std::string>> partsOf(const OpenRun& run, const std::string& which) {
    const auto count = averagedCount(which);
    if (!count) return std::vector<std::string>{which};
    const auto order = train::RetentionPolicy::of(run.config).bestFirst(run.checkpoints);
    if (order.size() < *count)
        return requestError("checkpoint.too_few",
                            fmt::format("{} needs {} checkpoints with {}, the run has {}", which, *count,
                                        run.config.text("checkpoint.metric"), order.size()))
            .in(run.folder.string())
            .fix(order.size() > 1
                     ? fmt::format("use avg{}, or train with checkpoint.keep_best = {}", order.size(), *count)
                     : fmt::format("train with checkpoint.keep_best = {}", *count));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < *count; ++i) names.push_back(run.checkpoints[order[i]].path.name());
    return names;
}

}  // namespace

Result<ChosenWeights> chooseWeights(const OpenRun& run, const std::string& which) {
    ChosenWeights weights;
    KURVE_TRY(const auto names, partsOf(run, which));
    for (const auto& name : names) {
        KURVE_TRY(ChosenCheckpoint one, chooseCheckpoint(run, name));
        weights.parts.push_back(std::move(one));
    }
    return weights;
}

bool meansOthers(const OpenRun& run, const std::string& which, const ChosenWeights& weights) {
    if (which.find('/') != std::string::npos) return false;
    const auto names = partsOf(run, which);
    if (!names) return false;
    if (names->size() != weights.parts.size()) return true;
    for (std::size_t i = 0; i < names->size(); ++i) {
        const auto row = findCheckpoint(run, (*names)[i]);
        if (!row) return false;
        const auto& part = weights.parts[i];
        if (!isAt(run, *row, part.folder) || row->sha256 != part.sha256) return true;
    }
    return false;
}

std::int64_t ChosenWeights::step() const {
    std::int64_t newest = 0;
    for (const auto& part : parts) newest = std::max(newest, part.state.step);
    return newest;
}

std::string ChosenWeights::name() const {
    if (parts.size() == 1) return parts.front().folder.string();
    std::vector<std::string> steps;
    for (const auto& part : parts) steps.push_back(std::to_string(part.state.step));
    return fmt::format("avg{} of steps {}", parts.size(), join(steps, ", "));
}

std::string ChosenWeights::sha256() const {
    if (parts.size() == 1) return parts.front().sha256;
    std::string all;
    for (const auto& part : parts) all += part.sha256;
    return kurve::sha256(all);
}

nlohmann::json ChosenWeights::document() const {
    nlohmann::json document{{"checkpoint", name()}, {"step", step()}};
    if (parts.size() == 1) return document;
    for (const auto& part : parts) document["averaged"].push_back(part.folder.string());
    return document;
}

train::TraceOrigin LoadedModel::origin() const {
    const std::string name =
        weights.parts.size() == 1 ? weights.parts.front().folder.filename().string() : weights.name();
    return {run.id, name, weights.sha256(), weights.step()};
}

std::uint64_t LoadedModel::seed(const CommonOptions& common) const {
    return common.seed.value_or(static_cast<std::uint64_t>(sampler.integer("seed")));
}

std::string samplerText(const store::SamplerSettings& settings) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : settings) parts.push_back(key.substr(key.find('.') + 1) + "=" + value);
    return join(parts, " ");
}

std::map<std::string, std::string> samplerValues(const RunConfig& config) {
    std::map<std::string, std::string> values;
    for (const auto& field : config.schema().fields)
        if (field.key.rfind("sampler.", 0) == 0) values[field.key] = fieldValueText(config.value(field.key));
    return values;
}

namespace {

/// The run's own settings, over them those of its default sampler if it is wanted, then --set.
Result<RunConfig> samplerOf(const CommonOptions& common, const OpenRun& run, const RequestedWeights& wanted) {
    std::vector<Override> all;
    if (wanted.defaultSampler) {
        KURVE_TRY(const store::SamplerSettings settings, store::defaultSampler(run.folder));
        all.assign(settings.begin(), settings.end());
        if (const auto fits = run.config.with(all); !fits) {
            Error error = fits.error();
            return std::move(error)
                .in(store::defaultSamplerFile(run.folder).string())
                .fix("kurve default-sampler RUN --set KEY=VALUE replaces the default, --clear drops it");
        }
        if (!settings.empty() && !common.quiet)
            logLine("kurve: default sampler: " + samplerText(settings) + " (--own-sampler ignores it)");
    }
    all.insert(all.end(), common.sets.begin(), common.sets.end());
    return run.config.with(all);
}

}  // namespace

Result<LoadedModel> loadModel(const CommonOptions& common, const RequestedWeights& wanted) {
    LoadedModel loaded;
    KURVE_TRY(loaded.device, chooseDevice(common.device));
    KURVE_TRY(loaded.run, openRun(common, wanted.run, wanted.data ? MayBeAlone::No : MayBeAlone::Yes));
    if (!loaded.run.family->trains()) return train::writesNoText(loaded.run.config);
    loaded.resolver =
        makeRunResolver(common, loaded.run.project, loaded.device, ReferringRun::of(loaded.run));
    for (const auto& [key, value] : common.sets)
        if (key.rfind("sampler.", 0) != 0 && loaded.run.config.schema().find(key) != nullptr)
            return requestError("sample.not_sampler", "only sampler.* can be set here")
                .at(key)
                .fix("kurve fork starts a run with other settings");
    KURVE_TRY(const RunConfig written, samplerOf(common, loaded.run, wanted));
    KURVE_TRY(loaded.sampler, schedule::withInlinedSchedules(written, loaded.run.project));
    KURVE_TRY(loaded.weights, chooseWeights(loaded.run, wanted.checkpoint));
    noteWithoutBest(common, loaded.run, wanted.checkpoint);
    const auto& config = loaded.run.config;
    KURVE_TRY(loaded.tokenizers, text::loadRunTokenizers(loaded.run.folder));
    std::vector<std::string> hashes{loaded.tokenizers.target->hash()};
    if (wanted.data) {
        KURVE_TRY(text::Dataset data,
                  text::prepareDataset(config, loaded.run.project, preparationProgress(common)));
        hashes.push_back(data.target->hash());
        loaded.data = std::make_shared<const text::Dataset>(std::move(data));
    }
    if (wanted.corpus && text::isDocuments(config)) {
        // What is not there is not named; a run copied elsewhere has no corpus.
        const auto data = text::prepareDataset(config, loaded.run.project, preparationProgress(common));
        if (data && data->target->hash() == hashes.front()) loaded.maybeCorpus = train::sentenceCorpus(*data);
    }
    std::vector<fs::path> folders;
    for (const auto& part : loaded.weights.parts) {
        for (const auto& hash : hashes)
            KURVE_CHECKED(train::checkFits(part.state, config, hash, models::schemaLookup(), part.folder));
        folders.push_back(part.folder);
    }
    KURVE_TRY(loaded.model,
              loaded.run.family->create(
                  loaded.sampler,  // the scores beside an LCM's loss decode with it
                  train::contextOf(loaded.tokenizers, config, loaded.device, loaded.resolver.get())));
    KURVE_CHECKED(folders.size() == 1 ? train::loadWeights(folders.front(), loaded.model->module())
                                      : train::loadMeanWeights(folders, loaded.model->module()));
    loaded.model->module().eval();
    KURVE_CHECKED(train::rerankerFor(loaded.resolver.get(), loaded.sampler));
    return loaded;
}

text::Progress preparationProgress(const CommonOptions& common) {
    auto line = std::make_shared<ProgressLine>(common.quiet);
    return [line](double fraction, const std::string& what) {
        line->show(fraction, what);
        if (fraction >= 1) line->clear();
    };
}

std::string environmentText(c10::Device device, int processes) {
    utsname system{};
    ::uname(&system);
    nlohmann::json facts = toJson(platform());
    facts["version"] = versionText();
    facts["commit"] = commitText();
    facts["libtorch"] = TORCH_VERSION;
    facts["device"] = device.str();
    facts["processes"] = processes;
    facts["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
    facts["host"] = system.nodename;
    return facts.dump();
}

}  // namespace kurve::engine
