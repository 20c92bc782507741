#include <fmt/format.h>
#include <torch/nn/module.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "app/engine/run_resolver.h"
#include "app/engine/training_job.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/text/published/published_tokenizer.h"
#include "core/train/published_format.h"
#include "core/train/run_record.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct ModelImport {
    std::string folder, family, run, name, tokenizer;
};

Result<json> readModelConfig(const fs::path& folder) {
    const fs::path file = folder / "config.json";
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return requestError("model.config", "there is no config.json in this folder")
            .in(folder.string())
            .fix("give the folder that was published: config.json, weights and tokenizer");
    KURVE_TRY(const std::string text, readFile(file));
    json config = json::parse(text, nullptr, false);
    if (!config.is_object()) return requestError("model.config", "is no JSON object").in(file.string());
    return config;
}

/// Errors: model.family.
Result<const train::ModelFamily*> familyFor(const ModelImport& request, const json& config) {
    std::vector<std::string> known;
    for (const auto& family : models::families()) {
        const train::PublishedFormat* const format = family->maybePublishedFormat();
        if (format == nullptr) continue;
        known.push_back(family->ownSchema().family);
        if (request.family.empty() ? format->recognises(config) : known.back() == request.family)
            return family.get();
    }
    const json type = config.value("model_type", json());
    return requestError(
               "model.family",
               request.family.empty()
                   ? fmt::format("the model_type {} is none that is known here", type.dump())
                   : fmt::format("published models of the family \"{}\" are not known here", request.family))
        .in((fs::path(request.folder) / "config.json").string())
        .at("--family")
        .fix("known: " + join(known, ", "));
}

/// What is read, before anything is written.
struct PublishedRun {
    const train::ModelFamily* family = nullptr;
    RunConfig config;
    text::PublishedTokenizer tokenizer;
    std::int64_t vocabulary = 0, parameters = 0;
    std::string sha256;                ///< of the weight file; of several, of the list of their hashes
    std::vector<std::string> leftOut;  ///< tensors that the model does without
    std::unique_ptr<train::SequenceModel> model;
};

Result<std::string> hashOfFiles(std::span<const fs::path> files) {
    std::string list;
    for (const fs::path& file : files) {
        KURVE_TRY(const std::string hash, sha256File(file));
        if (files.size() == 1) return hash;
        list += hash + "  " + file.filename().string() + "\n";
    }
    return sha256(list);
}

Result<RunConfig> settingsOf(const CommonOptions& common, const train::ModelFamily& family,
                             const train::PublishedModel& model, const std::string& tokenizer) {
    std::vector<Override> all = model.settings;
    for (const char* key : {"data.train", "data.valid"}) all.emplace_back(key, "");
    for (const Override& set : overridesOf(common)) all.push_back(set);
    all.emplace_back("data.tokenizer.kind", text::kPublishedPrefix + tokenizer);
    return RunConfig::parse(
        fmt::format("family = \"{}\"\npreset = \"{}\"\n", family.ownSchema().family, model.preset),
        "config.json", models::schemaLookup(), all);
}

/// The name of a tokenizer in data/tokenizers, which its content says.
std::string tokenizerName(const text::Tokenizer& tokenizer) {
    return tokenizer.hash().substr(0, 12);
}

Result<PublishedRun> readPublishedRun(const CommonOptions& common, const ModelImport& request,
                                      train::RunResolver* resolver) {
    PublishedRun run;
    KURVE_TRY(const json document, readModelConfig(request.folder));
    KURVE_TRY(run.family, familyFor(request, document));
    const train::PublishedFormat& format = *run.family->maybePublishedFormat();
    KURVE_TRY(const auto files, train::publishedWeightFiles(request.folder));
    KURVE_TRY(const auto tensors, train::publishedTensors(files));
    auto read = format.read(document, tensors, request.folder);
    if (!read) return std::move(read.error()).in((fs::path(request.folder) / "config.json").string());
    run.vocabulary = read->vocabulary;
    run.leftOut = read->unused;
    KURVE_TRY(run.tokenizer,
              text::readPublishedTokenizer(request.tokenizer.empty() ? request.folder : request.tokenizer));
    auto tokenizer = text::completeTokenizer(run.tokenizer.tokenizer, run.vocabulary);
    if (!tokenizer) return std::move(tokenizer.error()).in(run.tokenizer.file.string());
    KURVE_TRY(run.config, settingsOf(common, *run.family, *read, tokenizerName(**tokenizer)));
    const text::Tokenizers both{*tokenizer, *tokenizer, {}, {}};
    KURVE_TRY(run.model,
              run.family->create(run.config, train::contextOf(both, run.config, c10::kCPU, resolver)));
    KURVE_CHECKED(train::loadPublishedWeights(files, *read, run.model->module(), format.copyIn(*run.model)));
    for (const auto& parameter : run.model->module().parameters()) run.parameters += parameter.numel();
    KURVE_TRY(run.sha256, hashOfFiles(files));
    return run;
}

train::TrainingState untrained(const RunConfig& config, const text::Tokenizer& tokenizer) {
    train::TrainingState state;
    state.config = config.canonicalText();
    state.configHash = config.contentHash();
    state.tokenizerHash = tokenizer.hash();
    state.optimizer = false;
    return state;
}

Status writeRun(const train::SessionRequest& session, const PublishedRun& run, const text::Dataset& data) {
    KURVE_TRY(const auto writer, store::RunWriter::open(session.runFolder));
    const auto write = [&]() -> Status {
        KURVE_CHECKED(train::recordRun(*writer, session, data));
        KURVE_CHECKED(train::storeReferences(session.resolver.get(), session.config, session.runFolder));
        const std::string from = "imported from " + session.facts.at("source");
        writer->set("ended", fmt::format("{:.17g}", wallSeconds()));
        writer->set("total_steps", "0");
        writer->set("state", "completed");
        writer->set("reason", from);
        writer->event(0, "imported", from);
        KURVE_TRY(const train::SavedCheckpoint saved,
                  train::saveWeights(session.runFolder / "checkpoints", run.model->module(),
                                     untrained(run.config, *data.target)));
        KURVE_TRY(auto path, store::RunFile::below(session.runFolder, saved.folder));
        writer->checkpoint({0, std::move(path), saved.sha256, std::nan(""), saved.bytes, /*pinned=*/true});
        return writer->flush();
    };
    const Status written = write();
    if (!written) writer->takeBack();
    return written;
}

struct ImportedRun {
    std::string id, name, tokenizer;  ///< tokenizer: as data.tokenizer.kind names it
    PublishedRun read;
};

Result<ImportedRun> importRun(const CommonOptions& common, const ModelImport& request) {
    KURVE_TRY(const store::Project project, projectFor(common, fs::current_path()));
    const fs::path source = fs::absolute(request.folder).lexically_normal();
    train::SessionRequest session;
    session.runId = request.run.empty() ? newRunId() : request.run;
    KURVE_TRY(session.runFolder, newRunFolder(project, session.runId));
    session.resolver = makeRunResolver(common, project.folder(), c10::kCPU, {session.runId, {}, {}});
    KURVE_TRY(PublishedRun run, readPublishedRun(common, request, session.resolver.get()));
    session.family = run.family;
    session.config = run.config;
    session.project = project.folder();
    const std::string folder = (source.has_filename() ? source : source.parent_path()).filename().string();
    session.name = request.name.empty() ? folder : request.name;
    session.facts = {
        {"environment", environmentText(c10::kCPU)}, {"source", folder}, {"source_sha256", run.sha256}};
    text::Dataset data;
    const std::string kind = run.config.text("data.tokenizer.kind");
    data.targetFolder = project.folder() / "data" / "tokenizers" / kind.substr(kind.find(':') + 1);
    KURVE_TRY(data.target, text::storePublishedTokenizer(run.tokenizer, run.vocabulary, data.targetFolder));
    data.source = data.target;
    data.sourceFolder = data.targetFolder;
    KURVE_CHECKED(writeRun(session, run, data));
    return ImportedRun{session.runId, session.name, kind, std::move(run)};
}

std::string summaryOf(const ImportedRun& run) {
    std::string text = fmt::format("run {}: {}, {}\n", run.id, printableLine(run.name),
                                   counted(run.read.parameters, "parameter"));
    if (!run.read.leftOut.empty()) text += "left out: " + printableLine(join(run.read.leftOut, ", ")) + "\n";
    return text;
}

Status importModel(const CommonOptions& common, const ModelImport& request, Output& out) {
    KURVE_TRY(const ImportedRun run, importRun(common, request));
    out.result({{"run", run.id},
                {"family", run.read.config.family()},
                {"parameters", run.read.parameters},
                {"sha256", run.read.sha256},
                {"tokenizer", run.tokenizer},
                {"left_out", run.read.leftOut}},
               summaryOf(run));
    return {};
}

Status importEncoder(const CommonOptions& common, const ModelImport& request, Output& out) {
    KURVE_TRY(const ImportedRun run, importRun(common, request));
    const std::int64_t width = run.read.config.integer("model.hidden"),
                       layers = run.read.config.integer("model.layers");
    out.result(
        {{"encoder", run.id},
         {"width", width},
         {"layers", layers},
         {"sha256", run.read.sha256},
         {"tokenizer", run.tokenizer},
         {"left_out", run.read.leftOut}},
        summaryOf(run) + fmt::format("vectors of width {} from {}; use it with model.encoder = \"{}\" and "
                                     "data.tokenizer.kind = \"{}\"\n",
                                     width, counted(layers, "block"), run.id, run.tokenizer));
    return {};
}

void addFolder(CLI::App& app, ModelImport& request, const char* what) {
    app.add_option("folder", request.folder, what)->required()->type_name("DIR");
    app.add_option("--run", request.run, "id of the run (default: a new one)")->type_name("ID");
    app.add_option("--name", request.name, "what the run is called (default: as its folder)");
    app.add_option("--tokenizer", request.tokenizer,
                   "its tokenizer (default: the one in the folder): tokenizer.json, *.tiktoken, vocab.txt")
        ->type_name("PATH");
}

}  // namespace

Action setupImportModel(CLI::App& app) {
    auto request = std::make_shared<ModelImport>();
    addFolder(app, *request, "published model: config.json, *.safetensors, tokenizer");
    app.add_option("--family", request->family, "model family (default: by config.json)");
    return [request](const CommonOptions& common, Output& out) { return importModel(common, *request, out); };
}

Action setupImportEncoder(CLI::App& app) {
    auto request = std::make_shared<ModelImport>();
    request->family = "sentence_encoder";
    addFolder(app, *request,
              "published BERT encoder: config.json, *.safetensors, tokenizer.json or vocab.txt");
    return
        [request](const CommonOptions& common, Output& out) { return importEncoder(common, *request, out); };
}

}  // namespace kurve::engine
