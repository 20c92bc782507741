#include <algorithm>
#include <memory>

#include "app/engine/commands.h"
#include "app/engine/control_link.h"
#include "app/engine/run_access.h"
#include "app/engine/text_lines.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/train/evaluation.h"
#include "core/train/inference_server.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

struct SampleRequest {
    std::string run, checkpoint = "last", input, inputs, prefix, infill;
    std::int64_t count = 0;
    bool serve = false, ownSampler = false;
};

json samplerJson(const RunConfig& config) {
    json all = json::object();
    for (const auto& field : config.schema().fields)
        if (field.key.rfind("sampler.", 0) == 0)
            all[field.key.substr(8)] = kurve::toJson(config.value(field.key));
    return all;
}

/// A prompt, and its reference where the data knows one.
struct Input {
    text::Prompt prompt;
    std::string reference = {};
};

// --count: samples of a text model; of the others the first validation pairs.
Result<std::vector<Input>> inputsOf(const SampleRequest& request, const LoadedModel& loaded) {
    using enum text::PromptKind;
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, request.count));
    if (!request.prefix.empty()) return std::vector<Input>(count, {{request.prefix, Prefix}});
    if (!request.infill.empty()) return std::vector<Input>(count, {{request.infill, Infill}});
    std::vector<Input> inputs;
    if (request.count > 0 && text::isWithoutSource(loaded.run.config)) {
        inputs.assign(count, {{"", Nothing}});
    } else if (request.count > 0) {
        KURVE_TRY(const auto valid, loaded.data->valid.texts(0, count));
        for (const text::Pair& pair : valid) inputs.push_back({{pair.source}, pair.target});
    } else if (!request.inputs.empty()) {
        KURVE_TRY(const auto lines, readLines(request.inputs));
        if (lines.empty())
            return requestError("sample.no_input", "the file holds no text")
                .in(request.inputs)
                .fix("write one source text per line");
        const RunConfig& config = loaded.run.config;
        const bool sources = !text::isWithoutSource(config) || train::rewritesTexts(config);
        for (const auto& line : lines) {
            std::string text(trim(line));
            inputs.push_back({sources ? text::Prompt{std::move(text)} : text::textPrompt(std::move(text))});
        }
    } else {
        if (trim(request.input).empty() && !text::isWithoutSource(loaded.run.config))
            return requestError("sample.no_input", "the source is empty").at("--input").fix("type a text");
        inputs.push_back({{request.input}});
    }
    return inputs;
}

/// --count asks for validation pairs.
bool needsData(const CommonOptions& common, const SampleRequest& request) {
    const auto run = openRun(common, request.run);
    return request.count > 0 && request.prefix.empty() && request.infill.empty() && run &&
           !text::isWithoutSource(run->config);
}

Status sampleOnce(const CommonOptions& common, const SampleRequest& request, Output& out) {
    for (const auto& [name, text] :
         {std::pair("--input", &request.input), std::pair("--prefix", &request.prefix),
          std::pair("--infill", &request.infill)})
        if (firstInvalidUtf8(*text)) return requestError("data.utf8", "is not valid UTF-8").at(name);
    KURVE_TRY(const LoadedModel loaded, loadModel(common, {request.run, request.checkpoint,
                                                           !request.ownSampler, needsData(common, request)}));
    KURVE_TRY(const auto inputs, inputsOf(request, loaded));
    train::DecodeRequest decode;
    decode.seed = loaded.seed(common);
    for (const auto& input : inputs)
        KURVE_CHECKED(train::addPrompt(decode, loaded.tokenizers, input.prompt, loaded.sampler));
    ProgressLine line(common.quiet);
    decode.progress = [&](std::size_t done) {
        line.show(static_cast<double>(done) / static_cast<double>(inputs.size()),
                  fmt::format("{} of {}", done, inputs.size()));
    };
    const double started = steadySeconds();
    KURVE_TRY(const train::DecodedSet set, train::decode(loaded.text(), decode, loaded.sampler));
    line.clear();
    json samples = json::array();
    std::string text;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        samples.push_back(train::sampleJson(inputs[i].prompt.text, set.rows[i]));
        if (!inputs[i].reference.empty()) samples.back()["reference"] = inputs[i].reference;
        text += set.rows[i].output + "\n";
    }
    // What a sampler says of its work: of CALM, how many chunks the temperature did not reach.
    std::string told;
    for (const auto& [name, mean] : set.sampleStatistics)
        if (mean.count > 0)
            told += fmt::format("{}{} {:.3g}", told.empty() ? "" : ", ", name, mean.sum / mean.count);
    if (!told.empty() && !common.quiet) fmt::print(stderr, "kurve: means: {}\n", told);
    json document{{"run", loaded.run.id},
                  {"sampler", samplerJson(loaded.sampler)},
                  {"samples", samples},
                  {"network_calls", set.networkCalls},
                  {"seconds", steadySeconds() - started}};
    document.update(loaded.weights.document());
    out.content(document, text);
    return {};
}

/// A loaded model and its inference server.
class Served {
public:
    explicit Served(LoadedModel model)
        : loaded_(std::move(model)),
          server_(
              loaded_.tokenizers, loaded_.sampler, loaded_.run.folder,
              [this](const store::TraceRow& row) {
                  return store::RunWriter::addTrace(loaded_.run.folder, row);
              },
              loaded_.resolver.get(), loaded_.maybeCorpus) {}
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    static Result<std::unique_ptr<Served>> load(const CommonOptions& common, const SampleRequest& request) {
        KURVE_TRY(LoadedModel loaded, loadModel(common, {request.run, request.checkpoint, !request.ownSampler,
                                                         /*data=*/false, /*corpus=*/true}));
        return std::make_unique<Served>(std::move(loaded));
    }
    /// The requested name now means other weights: "last" after a resume.
    [[nodiscard]] bool outdated(const CommonOptions& common, const SampleRequest& request) const {
        const auto now = openRun(common, request.run);
        return now && meansOthers(*now, request.checkpoint, loaded_.weights);
    }
    void answer(const wire::Message& command, ControlLink& link) const {
        server_.answer(command, *loaded_.model, loaded_.origin(), link);
    }
    void announce(const char* reason, ControlLink& link) const {
        json serving{{"state", "serving"}, {"reason", reason}};
        serving.update(loaded_.weights.document());
        link.emit(train::event("state", std::move(serving)));
    }

private:
    LoadedModel loaded_;
    train::InferenceServer server_;  // refers to loaded_
};

/// A branch needs the weights of its parent, whatever was saved since. Weights that cannot be loaded are the
/// request's error: older ones would answer under the name of the newer.
Status refresh(std::unique_ptr<Served>& served, const wire::Message& command, const CommonOptions& common,
               const SampleRequest& request, ControlLink& link) {
    const bool decodes = command.type == "sample" || command.type == "trace" || command.type == "reconstruct";
    if (!decodes || !served->outdated(common, request)) return {};
    KURVE_TRY(served, Served::load(common, request));
    served->announce("newer weights", link);
    return {};
}

// Answers requests until stdin ends, `stop` comes or a signal.
Status serve(const CommonOptions& common, const SampleRequest& request, Output& out) {
    catchStopSignals();
    CommonOptions wire = common;
    wire.events = true;
    ControlLink link(wire, request.run);
    auto loaded = Served::load(common, request);
    if (!loaded) {
        link.emit(train::errorEvent(loaded.error()));
        return loaded.error();
    }
    std::unique_ptr<Served> served = std::move(*loaded);
    served->announce("", link);
    bool stopped = false;
    while (!stopped && link.stopReason().empty() && !link.inputEnded())
        for (const auto& command : link.commands(0.25)) {
            if (train::InferenceServer::handles(command.type)) {
                if (const auto fresh = refresh(served, command, common, request, link); fresh)
                    served->answer(command, link);
                else
                    link.emit(train::errorEvent(fresh.error(), command.id));
            }
            stopped = stopped || command.type == "stop";
        }
    link.close();
    if (!link.stopReason().empty()) out.exitCode(130);
    return {};
}

}  // namespace

Action setupSample(CLI::App& app) {
    auto request = std::make_shared<SampleRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--checkpoint", request->checkpoint, kWeightsHelp);
    auto* input = app.add_option("--input", request->input, "one source text");
    auto* inputs = app.add_option("--inputs", request->inputs,
                                  "file with one source text per line, a blank line being an empty text; of "
                                  "a text model one prefix, "
                                  "or one text with blanks, per line")
                       ->excludes(input);
    auto* prefix =
        app.add_option("--prefix", request->prefix, "a text that goes on")->excludes(input)->excludes(inputs);
    auto* infill = app.add_option("--infill", request->infill,
                                  "a text with blanks: [MASK] is one token, [MASK:5] are five")
                       ->excludes(input)
                       ->excludes(inputs)
                       ->excludes(prefix);
    auto* count =
        app.add_option("--count", request->count,
                       "N samples, also of --prefix and --infill; of a model that rewrites a source: "
                       "the first N validation pairs (default: none)")
            ->check(CLI::Range(1, 100'000))
            ->excludes(input)
            ->excludes(inputs);
    app.add_flag("--own-sampler", request->ownSampler, kOwnSamplerHelp);
    auto* serving =
        app.add_flag("--serve", request->serve, "keep the model loaded and answer requests on stdin");
    return [=](const CommonOptions& common, Output& out) -> Status {
        if (serving->count() > 0) return serve(common, *request, out);
        if (input->count() + inputs->count() + count->count() + prefix->count() + infill->count() == 0)
            return requestError("sample.no_input", "there is no input")
                .fix("give --input, --inputs, --prefix, --infill or --count");
        return sampleOnce(common, *request, out);
    };
}

}  // namespace kurve::engine
