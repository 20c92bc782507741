#include "core/train/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/json_depth.h"
#include "core/base/text.h"
#include "core/train/tensor_file.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kAveraged = "ema.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";

NamedTensors blockTensors(const FlatParameters& parameters, const at::Tensor& flat,
                          const std::string& prefix = "") {
    NamedTensors all;
    for (const auto& entry : parameters.entries())
        all[prefix + entry.name] = FlatParameters::view(flat, entry);
    return all;
}

NamedTensors optimizerTensors(Trainer& trainer) {
    const auto [mean, square] = trainer.wholeMoments();
    NamedTensors all = blockTensors(trainer.parameters(), mean, "mean/");
    all.merge(blockTensors(trainer.parameters(), square, "square/"));
    return all;
}

// The averaged weights with the frozen ones and the buffers that go with them: a whole model.
NamedTensors averagedTensors(Trainer& trainer) {
    NamedTensors all = blockTensors(trainer.parameters(), trainer.wholeAverage());
    for (const auto& [name, tensor] : trainer.parameters().frozen()) all[name] = tensor;
    for (const auto& item : trainer.model().module().named_buffers()) all[item.key()] = item.value();
    return all;
}

// What only going on needs: a checkpoint of weights alone has none.
json progressJson(const TrainingState& state) {
    return {{"log", state.log.toJson()}, {"history", state.history}};
}

json positionJson(const TrainingState& state) {
    json live = json::array();
    for (const auto& change : state.live) live.push_back({change.step, change.key, change.value});
    return {{"format", kFormat},
            {"step", state.step},
            {"seconds", state.seconds},
            {"tokens", state.tokens},
            {"data", {{"epoch", state.data.epoch}, {"index", state.data.index}}},
            {"plan", state.plan.corrections()},
            {"live", live},
            {"config", state.config},
            {"config_hash", state.configHash},
            {"tokenizer_hash", state.tokenizerHash},
            {"data_hash", state.dataHash},
            {"train_hash", state.trainHash},
            {"extended_to", state.extendedTo},
            {"threads", state.threads},
            {"replicas", state.replicas},
            {"ranks", state.ranks},
            {"most_ranks", state.mostRanks},
            {"device", state.device},
            {"metric", std::isfinite(state.metric) ? json(state.metric) : json()},
            {"optimizer", state.optimizer},
            {"progress", progressJson(state)}};
}

TrainingState fromJson(const json& j) {
    TrainingState state;
    state.step = j.at("step");
    state.seconds = j.at("seconds");
    state.tokens = j.value("tokens", std::int64_t{0});
    state.data = {j.at("data").at("epoch"), j.at("data").at("index")};
    state.plan = StepPlan(j.at("plan").get<std::vector<std::pair<std::int64_t, std::int64_t>>>());
    for (const auto& change : j.at("live")) state.live.push_back({change.at(0), change.at(1), change.at(2)});
    state.config = j.at("config");
    state.configHash = j.at("config_hash");
    state.tokenizerHash = j.at("tokenizer_hash");
    state.dataHash = j.at("data_hash");
    state.trainHash = j.value("train_hash", "");
    state.extendedTo = j.value("extended_to", std::int64_t{0});
    state.threads = j.at("threads");
    state.replicas = j.value("replicas", 0);
    state.ranks = j.value("ranks", 1);
    state.mostRanks = j.value("most_ranks", 1);
    state.device = j.value("device", "");
    if (!j.at("metric").is_null()) state.metric = j.at("metric");
    state.optimizer = j.at("optimizer");
    if (!state.optimizer) return state;
    state.log = StepLog::fromJson(j.at("progress").at("log"));
    state.history = j.at("progress").at("history");
    return state;
}

Error damaged(const fs::path& file, std::string what) {
    return workError("checkpoint.damaged", std::move(what))
        .in(file.string())
        .fix("choose an older checkpoint of this run");
}

void syncFolder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

Status moveFolder(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
        return workError("io.write", "cannot rename: " + error.message())
            .in(to.string())
            .fix("check free space and permissions of the folder");
    syncFolder(to.parent_path());
    return {};
}

Result<fs::path> makeEmpty(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    if (error)
        return workError("io.write", "cannot make the folder: " + error.message())
            .in(folder.string())
            .fix("check free space and permissions of the folder");
    return folder;
}

// Half a checkpoint must not take the disk space that the next attempt needs.
struct Leftover {
    fs::path folder;
    ~Leftover() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);  // renamed away unless something failed
    }
};

// Writes state.json last: it names the other files' hashes.
Result<std::string> writeState(const fs::path& folder, json state,
                               const std::map<std::string, std::string>& files) {
    state["files"] = files;
    const std::string text = state.dump(1) + "\n";
    KURVE_CHECKED(writeFileAtomically(folder / kState, text));
    syncFolder(folder);
    return sha256(text);
}

std::map<std::string, std::string> metadata(const TrainingState& state) {
    return {{"format", "kurve"}, {"step", std::to_string(state.step)}, {"config_hash", state.configHash}};
}

// A checkpoint of this step that exists already (a resumed run that stopped at once) is replaced, never
// mixed.
Status replace(const fs::path& temporary, const fs::path& final) {
    std::error_code ignored;
    const fs::path old = final.string() + ".old";
    fs::remove_all(old, ignored);
    if (fs::exists(final, ignored)) KURVE_CHECKED(moveFolder(final, old));
    const Status moved = moveFolder(temporary, final);
    if (!moved) fs::rename(old, final, ignored);
    fs::remove_all(old, ignored);
    return moved;
}

Result<json> readState(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return requestError("checkpoint.missing", "there is no such checkpoint").in(folder.string());
    for (const char* name : {kState, kWeights, kAveraged, kOptimizer})
        KURVE_CHECKED(checkNoLink(folder / name));
    auto text = readFile(folder / kState);
    if (!text) return damaged(folder / kState, "cannot be read: " + text.error().message);
    if (jsonDeeperThan(*text, 16)) return damaged(folder / kState, "is not a checkpoint's state");
    json state = json::parse(*text, nullptr, false);
    if (!state.is_object() || !state.contains("format") || !state.contains("files"))
        return damaged(folder / kState, "is not a checkpoint's state");
    if (state["format"] != kFormat)
        return requestError("checkpoint.newer", "was written by another version of Kurve")
            .in((folder / kState).string())
            .fix("use the newer version");
    return state;
}

// To hash a file of the wrong size takes as long as somebody made it large.
Status checkSizes(const fs::path& folder, const json& state, std::optional<std::int64_t> recorded) {
    for (const auto& [name, hash] : state["files"].items()) {
        if (name != kWeights && name != kAveraged && name != kOptimizer)
            return damaged(folder / kState, "names a file that is none of a checkpoint's");
        if (const auto header = store::SafetensorsFile::open(folder / name); !header)
            return damaged(folder / name, header.error().message);
    }
    const std::int64_t found = checkpointBytes(folder);
    if (recorded && *recorded != found)
        return damaged(folder, fmt::format("holds {} bytes, recorded were {}", found, *recorded));
    return {};
}

}  // namespace

fs::path weightsFile(const fs::path& folder) {
    std::error_code ignored;
    return folder / (fs::exists(folder / kAveraged, ignored) ? kAveraged : kWeights);
}

std::int64_t checkpointBytes(const fs::path& folder) {
    std::int64_t sum = 0;
    for (const char* name : {kWeights, kOptimizer, kAveraged, kState}) {
        std::error_code missing;
        const auto bytes = fs::file_size(folder / name, missing);
        if (!missing) sum += static_cast<std::int64_t>(bytes);
    }
    return sum;
}

std::string checkpointName(std::int64_t step) {
    return fmt::format("step-{:08}", step);
}

Result<SavedCheckpoint> saveCheckpoint(const fs::path& checkpoints, Trainer& trainer,
                                       const TrainingState& state) {
    const fs::path final = checkpoints / checkpointName(state.step);
    KURVE_TRY(const fs::path folder, makeEmpty(checkpoints / ("." + checkpointName(state.step) + ".tmp")));
    const Leftover leftover{folder};
    std::map<std::string, std::string> files;
    const auto write = [&](const char* name, const NamedTensors& tensors) -> Status {
        KURVE_TRY(files[name], writeTensors(folder / name, tensors, metadata(state)));
        return {};
    };
    KURVE_CHECKED(write(kWeights, moduleTensors(trainer.model().module())));
    KURVE_CHECKED(write(kOptimizer, optimizerTensors(trainer)));
    if (trainer.averaged().defined()) KURVE_CHECKED(write(kAveraged, averagedTensors(trainer)));
    KURVE_TRY(std::string hash, writeState(folder, positionJson(state), files));
    KURVE_CHECKED(replace(folder, final));
    return SavedCheckpoint{final, std::move(hash), checkpointBytes(final)};
}

Result<SavedCheckpoint> saveWeights(const fs::path& checkpoints, torch::nn::Module& module,
                                    const TrainingState& state) {
    KURVE_CHECK(!state.optimizer, "weights with an optimizer's state");
    const fs::path final = checkpoints / checkpointName(state.step);
    KURVE_TRY(const fs::path folder, makeEmpty(checkpoints / ("." + checkpointName(state.step) + ".tmp")));
    const Leftover leftover{folder};
    std::map<std::string, std::string> files;
    KURVE_TRY(files[kWeights], writeTensors(folder / kWeights, moduleTensors(module), metadata(state)));
    json position = positionJson(state);
    position.erase("progress");
    KURVE_TRY(std::string hash, writeState(folder, std::move(position), files));
    KURVE_CHECKED(replace(folder, final));
    return SavedCheckpoint{final, std::move(hash), checkpointBytes(final)};
}

Result<SavedCheckpoint> stripCheckpoint(const fs::path& folder) {
    KURVE_TRY(json state, readState(folder));
    KURVE_TRY(const fs::path temporary,
              makeEmpty(folder.parent_path() / ("." + folder.filename().string() + ".tmp")));
    const Leftover leftover{temporary};
    const bool averaged = state["files"].contains(kAveraged);
    KURVE_TRY(const auto full, store::SafetensorsFile::open(folder / (averaged ? kAveraged : kWeights)));
    NamedTensors tensors;
    for (const auto& [name, view] : full->tensors()) {
        const auto type = view.dtype == "F32" ? at::kFloat : view.dtype == "I64" ? at::kLong : at::kHalf;
        if (view.dtype != "F32" && view.dtype != "I64" && view.dtype != "F16")
            return damaged(folder, "holds a tensor of dtype " + view.dtype);
        tensors[name] =
            at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape, at::dtype(type)).clone();
    }
    std::map<std::string, std::string> files;
    KURVE_TRY(files[kWeights], writeTensors(temporary / kWeights, tensors, full->metadata(), /*half=*/true));
    state["optimizer"] = false;
    state.erase("progress");
    KURVE_TRY(std::string hash, writeState(temporary, std::move(state), files));
    std::error_code ignored;  // it stays as old as it was among the others
    fs::last_write_time(temporary / kState, fs::last_write_time(folder / kState, ignored), ignored);
    KURVE_CHECKED(replace(temporary, folder));
    return SavedCheckpoint{folder, std::move(hash), checkpointBytes(folder)};
}

Result<TrainingState> readCheckpoint(const fs::path& folder, std::optional<std::int64_t> bytes) {
    KURVE_TRY(const json state, readState(folder));
    KURVE_CHECKED(checkSizes(folder, state, bytes));
    try {
        for (const auto& [name, hash] : state["files"].items()) {
            const auto actual = sha256File(folder / name);
            if (!actual) return damaged(folder / name, "cannot be read: " + actual.error().message);
            if (*actual != hash.get<std::string>()) return damaged(folder / name, "does not match its hash");
        }
        return fromJson(state);
    } catch (const json::exception& error) {
        return damaged(folder / kState, std::string("is not a checkpoint's state: ") + error.what());
    }
}

Status loadWeights(const fs::path& folder, torch::nn::Module& module) {
    return readTensors(weightsFile(folder), moduleTensors(module));
}

Status loadMeanWeights(std::span<const fs::path> folders, torch::nn::Module& module) {
    KURVE_CHECK(!folders.empty(), "a mean of nothing");
    torch::NoGradGuard noGrad;
    const NamedTensors into = moduleTensors(module);
    NamedTensors one, sum;
    for (const auto& [name, tensor] : into) one[name] = at::empty_like(tensor, at::kCPU);
    for (const auto& folder : folders) {
        KURVE_CHECKED(readTensors(weightsFile(folder), one));
        for (const auto& [name, tensor] : one) {
            at::Tensor& total = sum[name];
            if (!total.defined())
                total = tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor.clone();
            else if (tensor.is_floating_point())
                total.add_(tensor.to(at::kDouble));
        }
    }
    for (const auto& [name, tensor] : into) {
        at::Tensor& total = sum[name];
        if (total.is_floating_point()) total.div_(static_cast<double>(folders.size()));
        at::Tensor(tensor).copy_(total);
    }
    return {};
}

namespace {

// A fork may freeze what its parent trained, whose moments nothing needs any more. What it frees has none:
// beside others of t steps, whose bias correction 1 - beta^t is about 1 (Kingma & Ba 2015, section 3),
// moments that begin at zero would make its first updates several times too large.
Status readMoments(const fs::path& folder, Trainer& trainer) {
    Status read = readTensors(folder / kOptimizer, optimizerTensors(trainer), OtherTensors::Ignored);
    if (read || read.error().code != "checkpoint.missing_tensor") return read;
    return requestError(read.error().code,
                        "the optimizer has no moments of what was frozen before: " + read.error().message)
        .in(read.error().file)
        .at("train.parameter_groups")
        .fix(
            "leave it frozen, or train a new run from these weights: kurve train EXPERIMENT --set "
            "train.init_from=RUN");
}

}  // namespace

Status loadTrainer(const fs::path& folder, const TrainingState& state, Trainer& trainer) {
    if (!state.optimizer)
        return requestError("checkpoint.weights_only", "holds weights only, training cannot go on from it")
            .in(folder.string())
            .fix("choose a checkpoint with an optimizer, or fork it");
    KURVE_CHECKED(readTensors(folder / kWeights, moduleTensors(trainer.model().module())));
    KURVE_CHECKED(readMoments(folder, trainer));
    if (trainer.averaged().defined()) {
        // A fork may average where its parent did not: the average begins at these weights. What it freezes
        // stays the trained one.
        KURVE_TRY(const json about, readState(folder));
        const char* const from = about["files"].contains(kAveraged) ? kAveraged : kWeights;
        KURVE_CHECKED(readTensors(folder / from, blockTensors(trainer.parameters(), trainer.wholeAverage()),
                                  OtherTensors::Ignored));
    }
    trainer.setSteps(state.step);
    trainer.model().setHistory(state.history);
    return {};
}

namespace {

// The hash also changes when a version of Kurve brings a new setting. What counts are the values: a setting
// that the checkpoint does not know has its default, which is what it was made with.
Status checkSettings(const TrainingState& state, const RunConfig& config, const SchemaLookup& schemas,
                     const fs::path& folder) {
    KURVE_TRY(const RunConfig other, RunConfig::parse(state.config, (folder / kState).string(), schemas));
    std::vector<std::string> keys;
    for (const auto& entry : difference(config, other)) {
        const FieldSpec* field = config.schema().find(entry.key);
        if (field == nullptr || field->affectsResult)
            keys.push_back(entry.key + " (" + entry.right + ", here " + entry.left + ")");
    }
    if (keys.empty()) return {};
    return requestError("checkpoint.other_config", "was made with other settings: " + join(keys, ", "))
        .in(folder.string())
        .at(keys.front().substr(0, keys.front().find(' ')))
        .fix("use kurve fork to start a new run from it");
}

}  // namespace

Status checkFits(const TrainingState& state, const RunConfig& config, const std::string& tokenizerHash,
                 const SchemaLookup& schemas, const fs::path& folder) {
    if (state.configHash != config.contentHash())
        KURVE_CHECKED(checkSettings(state, config, schemas, folder));
    if (state.tokenizerHash != tokenizerHash)
        return requestError("checkpoint.other_tokenizer", "was made with another tokenizer (" +
                                                              state.tokenizerHash.substr(0, 12) + ", here " +
                                                              tokenizerHash.substr(0, 12) + ")")
            .in(folder.string())
            .fix("restore the project's data folder as it was");
    return {};
}

}  // namespace kurve::train
