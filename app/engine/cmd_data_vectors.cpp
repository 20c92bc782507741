#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/engine/data_commands.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/run_access.h"
#include "app/engine/run_resolver.h"
#include "app/engine/stop_signal.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/train/compute_thread.h"
#include "core/train/corpus_vectors.h"
#include "core/train/decode.h"
#include "core/train/make_trainer.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Status computeVectors(const CommonOptions& common, const std::string& experiment, Output& out) {
    catchStopSignals();
    KURVE_TRY(const fs::path file, findExperiment(common, experiment));
    KURVE_TRY(const store::Project project, projectFor(common, file.parent_path()));
    KURVE_TRY(const RunConfig config,
              RunConfig::load(file.string(), models::schemaLookup(), overridesOf(common)));
    KURVE_TRY(const c10::Device device, chooseDevice(common.device));
    const auto resolver = makeRunResolver(common, project.folder(), device, {});
    KURVE_TRY(const text::Dataset data,
              text::prepareDataset(config, project.folder(), preparationProgress(common)));
    train::prepareComputeThread(platform().threads);
    KURVE_TRY(const auto model, train::makeModel(*models::findFamily(config.family()), config,
                                                 train::contextOf(data, config, device, resolver.get())));
    if (model->corpusVectors() == nullptr)
        return requestError("vectors.none", "the experiment reads no vectors of a frozen encoder")
            .in(file.string())
            .at("model.encoder")
            .fix(
                "name a run of the family sentence_encoder (of lcm: the concept run does); kurve "
                "import-encoder makes one");
    const int threads = static_cast<int>(config.integer("train.cpu_replicas")) * platform().threads;
    KURVE_TRY(const train::PreparedVectors made,
              model->corpusVectors()->prepare(
                  data, {threads, preparationProgress(common), [] { return !stopSignal().empty(); }}));
    for (const std::string& note : made.notes) logLine("kurve: " + note);
    out.result({{"sentences", made.sentences},
                {"added", made.added},
                {"width", model->corpusVectors()->width()},
                {"seconds", made.seconds},
                {"folder", fs::relative(made.folder, project.folder()).string()}},
               fmt::format("vectors of {}, {} computed now in {:.1f} s\n",
                           counted(made.sentences, "sentence"), made.added, made.seconds));
    return {};
}

Result<std::vector<std::vector<std::int32_t>>> sentencesOfInput(const text::Tokenizer& tokenizer,
                                                                std::int64_t longest, json& lines) {
    std::vector<std::vector<std::int32_t>> sentences;
    std::string line;
    for (int number = 1; std::getline(std::cin, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (const auto bad = firstInvalidUtf8(line))
            return requestError("data.utf8", fmt::format("byte {} is not UTF-8", *bad + 1))
                .in("standard input", number)
                .fix("convert the text, for example with iconv -f latin1 -t utf-8");
        sentences.push_back(train::encodeWithSpecials(tokenizer, line));
        if (static_cast<std::int64_t>(sentences.back().size()) > longest)
            return requestError("vectors.too_long", fmt::format("the encoder reads at most {} tokens, not {}",
                                                                longest, sentences.back().size()))
                .in("standard input", number)
                .fix("cut it into sentences");
        lines.push_back({{"text", line}});
    }
    return sentences;
}

/// Of standard input's lines.
Status showVectors(const CommonOptions& common, const std::string& name, Output& out) {
    KURVE_TRY(const c10::Device device, chooseDevice(common.device));
    KURVE_TRY(const OpenRun run, openRun(common, name));
    const auto resolver = makeRunResolver(common, run.project, device, {});
    KURVE_TRY(const auto referenced, resolver->find(runField("--run", "an encoder"), name));
    train::prepareComputeThread(platform().threads);
    KURVE_TRY(const auto model, referenced->frozenModel(device));
    train::SentenceEncoder* const encoder = model->sentenceEncoder();
    if (encoder == nullptr)
        return requestError("vectors.none", fmt::format("a run of the family {} gives sentences no vectors",
                                                        referenced->config.family()))
            .at("--run")
            .fix("name a run of the family sentence_encoder or concept");
    json lines = json::array();
    KURVE_TRY(const auto sentences,
              sentencesOfInput(*referenced->tokenizers.target, encoder->longestSentence(), lines));
    const at::Tensor vectors = encoder->encodeSentences(sentences, platform().threads).contiguous();
    std::string text;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const float* const from =
            vectors.const_data_ptr<float>() + static_cast<std::int64_t>(i) * vectors.size(1);
        const std::vector<float> values(from, from + vectors.size(1));
        text += fmt::format("{}\n", fmt::join(values, "\t"));
        lines[i]["vector"] = values;
    }
    out.content({{"lines", std::move(lines)}, {"width", vectors.size(1)}}, text);
    return {};
}

struct VectorsRequest {
    std::string experiment, run;
};

}  // namespace

Action setupDataVectors(CLI::App& app) {
    auto request = std::make_shared<VectorsRequest>();
    auto* experiment =
        app.add_option("experiment", request->experiment,
                       "one with model.encoder, or an lcm on such a run: stores the vectors of "
                       "all its sentences, which training reads")
            ->type_name("EXPERIMENT");
    auto* run = app.add_option("--run", request->run,
                               "print the vectors that this encoder gives standard input's lines")
                    ->excludes(experiment);
    app.final_callback([run, experiment] {
        if (run->count() + experiment->count() == 0) throw CLI::RequiredError("EXPERIMENT or --run");
    });
    return [request](const CommonOptions& common, Output& out) -> Status {
        if (!request->run.empty()) return showVectors(common, request->run, out);
        Status done = computeVectors(common, request->experiment, out);
        if (done || done.error().code != train::kVectorsStopped) return done;
        logLine("kurve: " + done.error().text());
        out.exitCode(130);
        return {};
    };
}

}  // namespace kurve::engine
