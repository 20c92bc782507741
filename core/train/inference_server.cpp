#include "core/train/inference_server.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/inside.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/train/chunk_reconstruction.h"
#include "core/train/live_trace.h"

namespace kurve::train {
namespace {

using nlohmann::json;
using store::RunFile;

Error badRequest(std::string what) {
    return requestError("wire.bad_request", std::move(what));
}

Error cancelledError() {
    return requestError("cancelled", "the request was cancelled");
}

Result<std::vector<std::string>> inputsOf(const json& body) {
    const json& input = body.contains("input") ? body["input"] : body.value("inputs", json());
    std::vector<std::string> inputs;
    if (input.is_string()) inputs.push_back(input.get<std::string>());
    if (input.is_array())
        for (const auto& one : input) {
            if (!one.is_string())
                return badRequest("\"input\" holds something that is not a text").at("input");
            inputs.push_back(one.get<std::string>());
        }
    if (inputs.empty()) return badRequest("\"input\" must be a text or a list of texts").at("input");
    for (const auto& text : inputs)
        if (firstInvalidUtf8(text)) return badRequest("\"input\" is not valid UTF-8").at("input");
    return inputs;
}

constexpr std::size_t kMostSamples = 100'000;  // of one request

/// "prompt": a text::PromptKind, "source" if it is not there; "input": its text, or several; with "nothing"
/// instead "count" samples.
Result<std::vector<text::Prompt>> promptsOf(const json& body) {
    const json name = body.value("prompt", json("source"));
    if (!name.is_string()) return badRequest("\"prompt\" must be a kind of prompt").at("prompt");
    KURVE_TRY(const text::PromptKind kind, text::promptKindOf(name.get<std::string>()));
    if (kind == text::PromptKind::Nothing) {
        const json count = body.value("count", json(1U));
        if (!count.is_number_unsigned() || count == 0U || count > kMostSamples)
            return badRequest(fmt::format("\"count\" must be a whole number from 1 to {}", kMostSamples))
                .at("count");
        return std::vector<text::Prompt>(count.get<std::size_t>(), text::Prompt{"", kind});
    }
    KURVE_TRY(const std::vector<std::string> inputs, inputsOf(body));
    std::vector<text::Prompt> prompts;
    for (const std::string& input : inputs) prompts.push_back({input, kind});
    return prompts;
}

std::uint64_t seedOf(const json& body, const RunConfig& config) {
    const auto found = body.find("seed");
    if (found != body.end() && found->is_number_integer()) return found->get<std::uint64_t>();
    return static_cast<std::uint64_t>(config.integer("seed"));
}

// ["latent","curve"] or "latent,curve"
std::vector<std::string> blocksOf(const json& body) {
    const json what = body.value("what", json());
    if (what.is_string()) return split(what.get<std::string>(), ',');
    std::vector<std::string> blocks;
    if (what.is_array())
        for (const auto& one : what)
            if (one.is_string()) blocks.push_back(one.get<std::string>());
    return blocks;
}

/// Where a trace grows, and who is told.
struct Growing {
    std::filesystem::path file;
    std::function<void(int steps, int planned)> progress;
};
/// "follow": the file in which the trace is to grow; `otherwise` without it. An existing file is not
/// replaced.
Result<Growing> growingOf(const wire::Message& request, std::filesystem::path otherwise, SessionLink& link) {
    const auto found = request.body.find("follow");
    if (found == request.body.end() || !found->is_string()) return Growing{std::move(otherwise), {}};
    const std::filesystem::path file = found->get<std::string>();
    std::error_code ignored;
    const bool isNew =
        std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found;
    if (!file.is_absolute() || file.extension() != ".safetensors" || !isNew)
        return badRequest("\"follow\" must be the whole path of a .safetensors file that is not there yet")
            .at("follow");
    if (std::filesystem::is_directory(file.parent_path(), ignored))
        return Growing{file, LiveTrace(file.string(), request.id, link)};
    const Error error = workError("io.write", "there is no such folder: the trace cannot be followed")
                            .in(file.string())
                            .at("follow");
    link.emit(event("warning", {{"code", error.code}, {"message", error.text()}}, request.id));
    return Growing{std::move(otherwise), {}};
}

}  // namespace

Error errorOf(const std::exception& exception, std::string code) {
    return workError(std::move(code), firstLine(exception.what()));
}

wire::Message errorEvent(const Error& error, std::string id) {
    json body{{"code", error.code}, {"message", error.text()}, {"remedy", error.remedy}};
    if (!error.field.empty()) body["field"] = error.field;
    return event("error", std::move(body), std::move(id));
}

json sampleJson(const std::string& input, const Decoded& decoded) {
    json sample{{"input", input}, {"output", decoded.output}, {"score", decoded.score}};
    if (!decoded.statistics.empty()) sample["statistics"] = decoded.statistics;
    if (decoded.candidates.empty()) return sample;
    sample["candidates"] = trace::candidatesJson(decoded.candidates);
    return sample;
}

Result<std::filesystem::path> growingRunTrace(const std::filesystem::path& runFolder,
                                              const store::TraceRow& row) {
    KURVE_CHECKED(makeFolderInside(runFolder, "traces"));
    KURVE_TRY(auto file, row.path.in(runFolder));
    return file += ".part";
}

Status saveRunTrace(const std::filesystem::path& runFolder, const RecordedTrace& recorded,
                    store::TraceRow& row) {
    KURVE_TRY(const auto file, row.path.in(runFolder));
    KURVE_TRY(const trace::WrittenTrace written, recorded.save(file));
    row.sha256 = written.sha256;
    row.bytes = written.bytes;
    return {};
}

Result<store::TraceRow> requestedTraceRow(const std::filesystem::path& runFolder, const std::string& input,
                                          const TraceOrigin& origin) {
    // A removed run must not come back as a folder that holds a trace and no run.
    std::error_code ignored;
    if (!std::filesystem::exists(runFolder / "run.db", ignored))
        return workError("store.gone", "the run's folder was removed or moved: the trace cannot be saved")
            .in(runFolder.string())
            .fix("restore the folder, or use another run");
    store::TraceRow row;
    row.step = origin.step;
    row.path = store::RunFile(fmt::format("traces/requested-{}.safetensors", newRunId()));
    row.text = input;
    return row;
}

Result<std::filesystem::path> findRunTrace(const std::filesystem::path& runFolder,
                                           const std::filesystem::path& name) {
    for (const char* suffix : {"", ".safetensors"})
        if (const auto file = RunFile::parse("traces/" + name.string() + suffix))
            if (file->isIn(runFolder)) return file->in(runFolder);
    KURVE_TRY(const RunFile file,
              name.is_absolute() ? RunFile::below(runFolder, name) : RunFile::parse(name.string()));
    return file.in(runFolder);
}

Result<trace::Trace> findTrace(const std::filesystem::path& runFolder, const std::filesystem::path& name) {
    std::error_code ignored;
    const auto own = findRunTrace(runFolder, name);
    if (own && std::filesystem::exists(*own, ignored)) return trace::readTrace(*own);
    return trace::readTrace(name);
}

std::string parentName(const std::filesystem::path& runFolder, const trace::Trace& parent) {
    std::error_code ignored;
    const auto file = std::filesystem::weakly_canonical(parent.file, ignored);
    const auto inside = file.lexically_relative(std::filesystem::weakly_canonical(runFolder, ignored));
    return inside.empty() || *inside.begin() == ".." ? file.string() : inside.string();
}

bool InferenceServer::handles(const std::string& type) {
    return type == "sample" || type == "trace" || type == "branch" || type == "reconstruct";
}

Result<RunConfig> InferenceServer::samplerOf(const json& body) const {
    std::vector<Override> overrides;
    const json sampler = body.value("sampler", json::object());
    if (!sampler.is_object()) return badRequest("\"sampler\" must be an object").at("sampler");
    for (const auto& [key, value] : sampler.items()) {
        const std::string full = key.rfind("sampler.", 0) == 0 ? key : "sampler." + key;
        overrides.emplace_back(full, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return config_.with(overrides);
}

Result<wire::Message> InferenceServer::sample(const wire::Message& request, const TextModel& text,
                                              SessionLink& link) const {
    KURVE_TRY(const RunConfig sampler, samplerOf(request.body));
    KURVE_TRY(const auto prompts, promptsOf(request.body));
    DecodeRequest decodeRequest;
    decodeRequest.seed = seedOf(request.body, sampler);
    decodeRequest.cancel = link.beginRequest(request.id);
    for (const auto& prompt : prompts)
        KURVE_CHECKED(addPrompt(decodeRequest, text.tokenizers, prompt, sampler));
    KURVE_TRY(const DecodedSet set, decode(text, decodeRequest, sampler));
    if (set.cancelled) return cancelledError();
    json samples = json::array();
    for (std::size_t i = 0; i < prompts.size(); ++i)
        samples.push_back(sampleJson(prompts[i].text, set.rows[i]));
    return event("sampled", {{"samples", samples}, {"network_calls", set.networkCalls}}, request.id);
}

Result<wire::Message> InferenceServer::reconstruct(const wire::Message& request, const TextModel& text,
                                                   SessionLink& link) const {
    KURVE_TRY(const RunConfig sampler, samplerOf(request.body));
    ReconstructionRequest wanted{.seed = seedOf(request.body, sampler)};
    KURVE_TRY(wanted.texts, inputsOf(request.body));
    if (const json ends = request.body.value("between", json()); !ends.is_null()) {
        const bool isPair = ends.is_array() && ends.size() == 2 && ends[0].is_number_unsigned() &&
                            ends[1].is_number_unsigned();
        if (!isPair) return badRequest("\"between\" must be the numbers of two chunks").at("between");
        wanted.between = {ends[0].get<std::size_t>(), ends[1].get<std::size_t>()};
    }
    wanted.cancel = link.beginRequest(request.id);
    KURVE_TRY(json made, reconstructionJson(text, wanted, sampler));
    return event("reconstructed", std::move(made), request.id);
}

Result<wire::Message> InferenceServer::trace(const wire::Message& request, const TextModel& text,
                                             const TraceOrigin& origin, SessionLink& link) const {
    KURVE_TRY(const RunConfig sampler, samplerOf(request.body));
    KURVE_TRY(const auto prompts, promptsOf(request.body));
    TraceRequest traceRequest;
    traceRequest.prompt = prompts.front();
    if (const json reference = request.body.value("reference", json()); reference.is_string())
        traceRequest.reference = reference.get<std::string>();
    else if (!reference.is_null())
        return badRequest("\"reference\" must be a text").at("reference");
    traceRequest.seed = seedOf(request.body, sampler);
    traceRequest.what = blocksOf(request.body);
    if (const json row = request.body.value("row", json(0U)); row.is_number_unsigned())
        traceRequest.row = row.get<std::uint64_t>();
    else
        return badRequest("\"row\" must be a whole number from 0").at("row");
    if (const json candidate = request.body.value("candidate", json()); candidate.is_number_integer())
        traceRequest.candidate = candidate.get<std::int64_t>();
    traceRequest.cancel = link.beginRequest(request.id);
    KURVE_TRY(const store::TraceRow row, requestedTraceRow(runFolder_, traceRequest.prompt.text, origin));
    KURVE_TRY(auto beside, growingRunTrace(runFolder_, row));
    KURVE_TRY(Growing growing, growingOf(request, std::move(beside), link));
    traceRequest.growing = std::move(growing.file);
    traceRequest.progress = std::move(growing.progress);
    KURVE_TRY(const RecordedTrace recorded, recordTrace(text, traceRequest, sampler, origin));
    return save(request, row, recorded, link);
}

Result<wire::Message> InferenceServer::branch(const wire::Message& request, const TextModel& text,
                                              const TraceOrigin& origin, SessionLink& link) const {
    const json parentFile = request.body.value("parent", json()), step = request.body.value("step", json());
    if (!parentFile.is_string() || !step.is_number_integer())
        return badRequest("\"branch\" takes the file of a parent and a step").at("parent");
    KURVE_TRY(const auto file, findRunTrace(runFolder_, parentFile.get<std::string>()));
    KURVE_TRY(const trace::Trace parent, trace::readTrace(file));
    BranchRequest branchRequest{parent, parentName(runFolder_, parent), 0,
                                {},     blocksOf(request.body),         link.beginRequest(request.id)};
    KURVE_TRY(const store::TraceRow row, requestedTraceRow(runFolder_, parent.metaText("prompt"), origin));
    KURVE_TRY(auto beside, growingRunTrace(runFolder_, row));
    KURVE_TRY(Growing growing, growingOf(request, std::move(beside), link));
    branchRequest.growing = std::move(growing.file);
    branchRequest.progress = std::move(growing.progress);
    if (step < 0 || step >= parent.steps)
        branchRequest.step = -1;  // branch.step says which there are
    else
        branchRequest.step = step.get<int>();
    KURVE_TRY(branchRequest.edits, trace::editsFromJson(request.body.value("edits", json::array()),
                                                        std::max(0, branchRequest.step)));
    KURVE_TRY(const RecordedTrace recorded, recordBranch(text, branchRequest, config_, origin));
    return save(request, row, recorded, link);
}

Result<wire::Message> InferenceServer::save(const wire::Message& request, store::TraceRow row,
                                            const RecordedTrace& recorded, SessionLink& link) const {
    if (recorded.cancelled) return cancelledError();
    KURVE_CHECKED(saveRunTrace(runFolder_, recorded, row));
    if (const auto listed = list_(row); !listed)
        link.emit(event("warning", {{"code", listed.error().code}, {"message", listed.error().text()}}));
    json body{{"file", (runFolder_ / row.path.text()).string()},
              {"trace", row.path.text()},
              {"output", recorded.decoded.output},
              {"sample", sampleJson(row.text, recorded.decoded)},
              {"steps", recorded.writer->steps()},
              {"network_calls", recorded.networkCalls}};
    if (request.type == "branch") {
        body["parent"] = recorded.metaText("branch_parent");
        body["change"] = recorded.metaText("branch_change");
    }
    return event("traced", std::move(body), request.id);
}

void InferenceServer::answer(const wire::Message& request, SequenceModel& model, const TraceOrigin& origin,
                             SessionLink& link) const {
    if (link.wasCancelled(request.id)) return link.emit(errorEvent(cancelledError(), request.id));
    const TextModel text{model, tokenizers_, maybeResolver_, maybeCorpus_};
    const double started = steadySeconds();
    Result<wire::Message> answer = cancelledError();
    try {
        answer = request.type == "sample"        ? sample(request, text, link)
                 : request.type == "branch"      ? branch(request, text, origin, link)
                 : request.type == "reconstruct" ? reconstruct(request, text, link)
                                                 : trace(request, text, origin, link);
        if (answer) answer->body["seconds"] = steadySeconds() - started;
    } catch (const std::exception& error) {  // a failing request must not end the training
        answer = errorOf(error, "request.failed");
    }
    link.beginRequest("");
    link.emit(answer ? *answer : errorEvent(answer.error(), request.id));
}

}  // namespace kurve::train
