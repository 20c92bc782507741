#include <optional>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/clock.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/train/inference_server.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TraceRequest {
    std::string run, checkpoint, input, prefix, infill, reference, what, out;
    std::string branchOf, edit = "[]", split = "valid";
    int step = 0;
    std::optional<std::int64_t> candidate, row;
    bool summary = false, ownSampler = false, unconditional = false;
};

json frameJson(const trace::Trace& trace, int step) {
    json frame{{"step", step},
               {"t", jsonNumber(trace.t[static_cast<std::size_t>(step)])},
               {"log_snr", jsonNumber(trace.logSnr[static_cast<std::size_t>(step)])}};
    const auto add = [&](const char* name, std::vector<float> trace::Trace::*layer, int position) {
        if (!(trace.*layer).empty()) frame[name].push_back(jsonNumber(trace.value(layer, step, position)));
    };
    for (int position = 0; position < trace.positions; ++position) {
        const std::uint32_t token = trace.tokenAt(step, position);
        const std::string& text = trace.textOf(token);
        frame["tokens"].push_back(text.empty() && token != trace::kNoToken ? std::to_string(token) : text);
        frame["state"].push_back(trace.stateAt(step, position));
        add("confidence", &trace::Trace::confidence, position);
        add("entropy", &trace::Trace::entropy, position);
        add("margin", &trace::Trace::margin, position);
    }
    return frame;
}

std::string asText(const trace::Trace& trace, const std::string& file) {
    std::string text;
    for (int step = 0; step < trace.steps; ++step) {
        std::string words;
        for (int position = 0; position < trace.positions; ++position) {
            const std::string& piece = trace.textOf(trace.tokenAt(step, position));
            if (!piece.empty()) words += piece + " ";
        }
        text += fmt::format("{:>4}  t {:.3f}  {}\n", step, trace.t[static_cast<std::size_t>(step)], words);
    }
    return text + trace.meta.at("output") + "\n" + file + "\n";
}

// "tokens" is always recorded and "similarity" is computed from the latents.
std::vector<std::string> blocks(const std::string& what) {
    std::vector<std::string> all;
    for (const auto& name : split(what, ',')) {
        if (name.empty() || name == "tokens") continue;
        all.push_back(name == "similarity" ? "latent" : name);
    }
    return all;
}

Status checkWhat(const std::string& what) {
    const std::vector<std::string> known{"tokens", "latent", "curve", "similarity", "attention", "hidden"};
    for (const auto& name : split(what, ',')) {
        if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
        const auto near = nearestWord(name, known);
        return requestError("trace.unknown_block", "cannot record \"" + name + "\"")
            .at("--what")
            .fix(near ? "did you mean " + *near + "?" : "known: " + join(known, ", "));
    }
    return {};
}

Status checkOutput(const CommonOptions& common, const TraceRequest& request) {
    std::error_code ignored;
    if (request.out.empty() || common.force || !fs::exists(request.out, ignored)) return {};
    return requestError("io.exists", "exists already")
        .in(request.out)
        .at("--out")
        .fix("give --force to replace it");
}

/// Where the trace goes.
struct Target {
    fs::path file, growing;
    std::optional<store::TraceRow> row;  ///< of a trace in the run's own folder
};
Result<Target> targetOf(const TraceRequest& request, const LoadedModel& loaded, const std::string& prompt) {
    Target target;
    if (!request.out.empty()) {
        std::error_code ignored;
        target.file = target.growing = fs::absolute(request.out, ignored);
        target.growing += ".part";
        return target;
    }
    KURVE_TRY(target.row, train::requestedTraceRow(loaded.run.folder, prompt, loaded.origin()));
    target.file = loaded.run.folder / target.row->path.text();
    KURVE_TRY(target.growing, train::growingRunTrace(loaded.run.folder, *target.row));
    return target;
}

struct Written {
    fs::path file;
    std::string sha256;
    int positions = 0;
};
// A trace in the run's own folder is also entered into the run's record.
Result<Written> write(const Target& target, const LoadedModel& loaded, const train::RecordedTrace& recorded) {
    KURVE_TRY(const trace::WrittenTrace written, recorded.save(target.file));
    if (target.row) {
        store::TraceRow row = *target.row;
        row.sha256 = written.sha256;
        row.bytes = written.bytes;
        if (const auto listed = store::RunWriter::addTrace(loaded.run.folder, row); !listed)
            logLine("kurve: the trace is written but not in the list: " + listed.error().text());
    }
    return Written{target.file, written.sha256, written.positions};
}

Status checkTraceRequest(const CommonOptions& common, const TraceRequest& request) {
    const bool prompted =
        !request.input.empty() || !request.prefix.empty() || !request.infill.empty() || request.unconditional;
    if (!prompted && !request.row && request.branchOf.empty())
        return requestError("trace.no_input", "there is no input")
            .fix("give --input, --prefix, --infill, --unconditional, --row or --branch-of");
    for (const auto& [name, text] :
         {std::pair("--input", &request.input), std::pair("--prefix", &request.prefix),
          std::pair("--infill", &request.infill)})
        if (firstInvalidUtf8(*text)) return requestError("data.utf8", "is not valid UTF-8").at(name);
    KURVE_CHECKED(checkWhat(request.what));
    return checkOutput(common, request);
}

text::Prompt promptOf(const TraceRequest& request) {
    using enum text::PromptKind;
    if (request.unconditional) return {"", Nothing};
    if (!request.prefix.empty()) return {request.prefix, Prefix};
    if (!request.infill.empty()) return {request.infill, Infill};
    return {request.input};
}

/// A pair of the data.
Result<text::Pair> textsOf(const TraceRequest& request, const LoadedModel& loaded) {
    const text::Split& part = request.split == "test" ? loaded.data->test : loaded.data->valid;
    if (part.size() == 0)
        return requestError("eval.no_split", "the experiment has no " + request.split + " split")
            .at("--split");
    const auto row = static_cast<std::size_t>(*request.row);
    if (row >= part.size())
        return requestError("trace.no_row", fmt::format("the {} split has no pair {}", request.split, row))
            .at("--row")
            .fix(fmt::format("0 to {}", part.size() - 1));
    return part.text(row);
}

/// A trace without a parent.
Result<train::TraceRequest> newTraceOf(const CommonOptions& common, const TraceRequest& request,
                                       const LoadedModel& loaded) {
    train::TraceRequest traceRequest{
        promptOf(request), request.reference, loaded.seed(common), blocks(request.what), {}};
    if (request.row) {
        KURVE_CHECKED(train::checkPromptKind(loaded.run.config, text::PromptKind::Source));
        KURVE_TRY(const text::Pair texts, textsOf(request, loaded));
        traceRequest.prompt = {texts.source};
        traceRequest.reference = texts.target;
    }
    traceRequest.candidate = request.candidate;
    return traceRequest;
}

Result<train::RecordedTrace> branchOnce(const TraceRequest& request, const trace::Trace& parent,
                                        const LoadedModel& loaded, const Target& target) {
    KURVE_TRY(auto edits, trace::editsFromText(request.edit, request.step));
    const train::BranchRequest branch{parent,
                                      train::parentName(loaded.run.folder, parent),
                                      request.step,
                                      std::move(edits),
                                      blocks(request.what),
                                      {},
                                      target.growing};
    return train::recordBranch(loaded.text(), branch, loaded.sampler, loaded.origin());
}

// With the weights that recorded the parent, unless others are requested: those are refused with a reason.
Result<LoadedModel> loadFor(const CommonOptions& common, const TraceRequest& request,
                            const std::optional<trace::Trace>& parent) {
    std::string checkpoint = request.checkpoint.empty() ? "last" : request.checkpoint;
    if (parent && request.checkpoint.empty() && !parent->metaText("checkpoint_step").empty())
        checkpoint = parent->metaText("checkpoint_step");
    if (parent && request.checkpoint.empty() && !isPlainName(checkpoint))
        return workError("run.path", "the trace's checkpoint_step names no checkpoint")
            .in(parent->file.string())
            .at("checkpoint_step")
            .fix("choose the weights with --checkpoint");
    return loadModel(common, {request.run, checkpoint, !request.ownSampler, request.row.has_value(),
                              /*corpus=*/true});
}

Status traceOnce(const CommonOptions& common, const TraceRequest& request, Output& out) {
    KURVE_CHECKED(checkTraceRequest(common, request));
    std::optional<trace::Trace> parent;
    if (!request.branchOf.empty()) {
        KURVE_TRY(const auto folder, findRun(common, request.run));
        KURVE_TRY(parent, train::findTrace(folder, request.branchOf));
    }
    KURVE_TRY(const LoadedModel loaded, loadFor(common, request, parent));
    const double started = steadySeconds();
    train::TraceRequest newTrace;
    if (!parent) {
        KURVE_TRY(newTrace, newTraceOf(common, request, loaded));
    }
    const std::string prompt = parent ? parent->metaText("prompt") : newTrace.prompt.text;
    KURVE_TRY(const Target target, targetOf(request, loaded, prompt));
    newTrace.growing = target.growing;
    KURVE_TRY(const train::RecordedTrace recorded,
              parent ? branchOnce(request, *parent, loaded, target)
                     : train::recordTrace(loaded.text(), newTrace, loaded.sampler, loaded.origin()));
    KURVE_TRY(const Written written, write(target, loaded, recorded));
    json document{{"trace", written.file.stem().string()},
                  {"file", written.file.string()},
                  {"sha256", written.sha256},
                  {"run", loaded.run.id},
                  {"input", prompt},
                  {"output", recorded.decoded.output},
                  {"steps", recorded.writer->steps()},
                  {"positions", written.positions},
                  {"network_calls", recorded.networkCalls},
                  {"seconds", steadySeconds() - started}};
    document.update(loaded.weights.document());
    if (parent) {
        document["parent"] = recorded.metaText("branch_parent");
        document["change"] = recorded.metaText("branch_change");
    }
    if (request.summary) {
        out.result(document, recorded.decoded.output + "\n" + written.file.string() + "\n");
        return {};
    }
    KURVE_TRY(const trace::Trace trace, trace::readTrace(written.file));
    document["frames"] = json::array();
    for (int step = 0; step < trace.steps; ++step) document["frames"].push_back(frameJson(trace, step));
    out.result(document, asText(trace, written.file.string()));
    return {};
}

}  // namespace

Action setupTrace(CLI::App& app) {
    auto request = std::make_shared<TraceRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--checkpoint", request->checkpoint,
                   std::string(kWeightsHelp) + " (default: last; of a branch its parent's)");
    auto* input = app.add_option("--input", request->input, "the source text");
    auto* prefix = app.add_option("--prefix", request->prefix, "a text that goes on")->excludes(input);
    auto* infill = app.add_option("--infill", request->infill,
                                  "a text with blanks: [MASK] is one token, [MASK:5] are five")
                       ->excludes(input)
                       ->excludes(prefix);
    auto* unconditional = app.add_flag("--unconditional", request->unconditional, "a sample without a prompt")
                              ->excludes(input)
                              ->excludes(prefix)
                              ->excludes(infill);
    auto* reference = app.add_option("--reference", request->reference, "the reference; saved in the trace");
    auto* row = app.add_option("--row", request->row,
                               "this pair of --split, from 0, as text and reference, as sample --count and "
                               "eval number them (pairs above data.max_length are left out)")
                    ->check(CLI::NonNegativeNumber)
                    ->excludes(input)
                    ->excludes(prefix)
                    ->excludes(infill)
                    ->excludes(unconditional)
                    ->excludes(reference);
    app.add_option("--split", request->split, "valid or test")
        ->check(CLI::IsMember({"valid", "test"}))
        ->needs(row);
    auto* candidate = app.add_option("--candidate", request->candidate,
                                     "index of the recorded beam candidate, from 0 (default: the best)");
    app.add_option("--what", request->what,
                   "blocks besides the tokens: latent,curve,similarity,attention,hidden")
        ->type_name("A,B");
    auto* branchOf =
        app.add_option("--branch-of", request->branchOf, "a trace of this run to branch from, with edits")
            ->type_name("TRACE")
            ->excludes(input)
            ->excludes(prefix)
            ->excludes(infill)
            ->excludes(unconditional)
            ->excludes(row)
            ->excludes(candidate);
    app.add_option("--step", request->step, "the branch's first step, from 0")->needs(branchOf);
    app.add_option("--edit", request->edit,
                   R"(the edit: {"kind":"force","position":2,"token":"lay"}, or a list; )"
                   "kinds: force, pin, ban, noise, latent, sampler; of chunks and sentences \"token\" is a "
                   "whole one's text")
        ->type_name("JSON")
        ->needs(branchOf);
    app.add_flag("--own-sampler", request->ownSampler, kOwnSamplerHelp);
    app.add_option("--out", request->out, "file to write (default: in the run's traces/)");
    app.add_flag("--summary", request->summary, "omit the frames from the JSON result");
    return [request](const CommonOptions& common, Output& out) { return traceOnce(common, *request, out); };
}

}  // namespace kurve::engine
