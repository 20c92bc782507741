#include "core/train/run_record.h"

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/store/project_revision.h"
#include "core/text/run_tokenizers.h"
#include "core/train/run_reference.h"

namespace kurve::train {
namespace {

nlohmann::json settingsOf(const RunConfig& config) {
    nlohmann::json settings = nlohmann::json::object();
    for (const auto& key : config.changedKeys()) settings[key] = fieldValueText(config.value(key));
    return settings;
}

nlohmann::json scalarsOf(const RunConfig& config) {
    nlohmann::json scalars = nlohmann::json::array();
    for (const ScalarSpec& scalar : config.schema().scalars) scalars.push_back(toJson(scalar));
    return scalars;
}

// File by file, so that a later change can be pinned on one of them.
nlohmann::json corpusHashes(const SessionRequest& request, const text::Dataset& data) {
    nlohmann::json hashes = nlohmann::json::object();
    for (const auto& file : text::corpusFiles(request.config))
        if (const auto read = data.corpora.find(request.project / file); read != data.corpora.end())
            hashes[file] = read->second;
    return hashes;
}

// The diff is a file: it may be long, and the run's facts are read often.
void recordRevision(store::RunWriter& writer, const SessionRequest& request) {
    auto revision = store::projectRevision(request.project);
    if (!revision) return;
    if (!revision->diff.empty() &&
        !writeFileAtomically(request.runFolder / store::kProjectDiffFile, revision->diff))
        revision->complete = false;
    writer.set("project_revision",
               store::toJson(*revision).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

std::string exactText(double value) {
    return fmt::format("{:.17g}", value);
}

Status recordRun(store::RunWriter& writer, const SessionRequest& request, const text::Dataset& data) {
    KURVE_CHECKED(text::storeRunTokenizers(data, request.runFolder));
    const RunConfig& config = request.config;
    writer.set("id", request.runId);
    writer.set("name", request.name.empty() ? request.runId : request.name);
    writer.set("family", config.family());
    writer.set("config", config.canonicalText());
    writer.set("config_hash", config.contentHash());
    writer.set("settings", settingsOf(config).dump());
    writer.set("scalars", scalarsOf(config).dump());
    KURVE_TRY(const auto pins, resolveReferences(request.resolver.get(), config, /*forStart=*/true));
    if (!pins.empty()) writer.set("references", pinsJson(pins).dump());
    writer.set("tokenizer_hash", data.target->hash());
    writer.set("source_tokenizer_hash", data.source->hash());
    writer.set("data_hash", data.sha256);
    writer.set("corpora", corpusHashes(request, data).dump());
    recordRevision(writer, request);
    writer.set("started", exactText(wallSeconds()));
    writer.set("ended", "0");
    for (const auto& [key, value] : request.facts) writer.set(key, value);
    return {};
}

}  // namespace kurve::train
