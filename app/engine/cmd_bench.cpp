#include <algorithm>
#include <cmath>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/run_access.h"
#include "core/base/clock.h"
#include "core/schedule/schedule_file.h"
#include "core/train/decode.h"
#include "core/train/evaluation.h"
#include "core/train/make_trainer.h"
#include "core/train/step_log.h"
#include "core/train/tensor_histograms.h"
#include "core/train/trainer.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Ratios of rounds in which both sides ran one after the other, so that a busy machine meets both.
struct Ratio {
    std::string name, meaning;
    std::vector<double> rounds;

    [[nodiscard]] double quantile(double q) const {
        std::vector<double> sorted = rounds;
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(std::lround(q * static_cast<double>(sorted.size() - 1)))];
    }
};

/// Everything a bench of training needs.
struct Bench {
    const CommonOptions& common;
    int rounds = 9, steps = 20;
    RunConfig config;
    fs::path project;
    std::shared_ptr<text::Dataset> data;
    const train::ModelFamily* family = nullptr;

    [[nodiscard]] Result<std::unique_ptr<train::Trainer>> trainer(
        int replicas, const std::vector<Override>& settings = {}) const {
        KURVE_TRY(const RunConfig own, config.with(settings));
        std::vector<std::unique_ptr<train::SequenceModel>> models;
        for (int r = 0; r < replicas; ++r) {
            KURVE_TRY(auto model,
                      train::makeModel(*family, own, train::contextOf(*data, own, c10::kCPU, nullptr)));
            models.push_back(std::move(model));
        }
        return std::make_unique<train::Trainer>(std::move(models), own, c10::kCPU);
    }
    [[nodiscard]] text::BatchStream batches() const {
        return {std::shared_ptr<const text::Split>(data, &data->train), config.integer("train.batch_tokens"),
                1};
    }
};

/// Seconds of some steps; `log` is fed if given, and points are written every tenth step.
double timeSteps(train::Trainer& trainer, text::BatchStream& batches, int steps, train::StepLog* log,
                 store::RunWriter* writer) {
    const double started = steadySeconds();
    for (int i = 0; i < steps; ++i) {
        const double before = steadySeconds();
        const auto report = trainer.step({batches.next()}, 1e-4, log != nullptr && i % 10 == 9);
        (void)trainer.nonFinite();
        if (log == nullptr) continue;
        log->add(report, 0, steadySeconds() - before);
        if (i % 10 != 9) continue;
        for (const auto& [name, value] : log->take()) writer->scalar(name, report.step, wallSeconds(), value);
        writer->heartbeat(report.step);
    }
    return steadySeconds() - started;
}

/// The time of steps of `one` over those of `other`, with the same batches.
Ratio ratioOf(Ratio ratio, const Bench& bench, train::Trainer& one, train::Trainer& other) {
    auto batchesOne = bench.batches(), batchesOther = bench.batches();
    for (int round = -1; round < bench.rounds; ++round) {
        const double a = timeSteps(one, batchesOne, bench.steps, nullptr, nullptr);
        const double b = timeSteps(other, batchesOther, bench.steps, nullptr, nullptr);
        if (round >= 0) ratio.rounds.push_back(a / b);
    }
    return ratio;
}

// How much faster two replicas of one thread are than one (needs two idle cores).
Result<Ratio> benchReplicas(const Bench& bench) {
    KURVE_TRY(const auto one, bench.trainer(1));
    KURVE_TRY(const auto two, bench.trainer(2));
    return ratioOf({"replicas", "time of a step with one replica over two, same batches", {}}, bench, *one,
                   *two);
}

Result<Ratio> benchPrecision(const Bench& bench) {
    KURVE_TRY(const auto full, bench.trainer(1, {{"train.precision", "fp32"}}));
    KURVE_TRY(const auto low, bench.trainer(1, {{"train.precision", "bf16"}}));
    return ratioOf({"precision", "time of a step in fp32 over bf16", {}}, bench, *full, *low);
}

Result<Ratio> benchCheckpointing(const Bench& bench) {
    KURVE_TRY(const auto plain, bench.trainer(1, {{"train.activation_checkpointing", "false"}}));
    KURVE_TRY(const auto saving, bench.trainer(1, {{"train.activation_checkpointing", "true"}}));
    return ratioOf({"checkpointing", "time of a step with activation checkpointing over one without", {}},
                   bench, *saving, *plain);
}

Result<Ratio> benchLogging(const Bench& bench) {
    KURVE_TRY(const auto plain, bench.trainer(1));
    KURVE_TRY(const auto logged, bench.trainer(1));
    std::string folder = (fs::temp_directory_path() / "kurve-bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return workError("io.write", "cannot make a temporary folder");
    Ratio ratio{"logging", "time of a step with points every tenth step and heartbeat over one without", {}};
    {
        KURVE_TRY(const auto writer, store::RunWriter::open(folder));
        auto batchesPlain = bench.batches(), batchesLogged = bench.batches();
        train::StepLog log;
        for (int round = -1; round < bench.rounds; ++round) {
            const double a = timeSteps(*plain, batchesPlain, bench.steps, nullptr, nullptr);
            const double b = timeSteps(*logged, batchesLogged, bench.steps, &log, writer.get());
            if (round >= 0) ratio.rounds.push_back(b / a);
        }
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return ratio;
}

// What recording the fixed prompts adds to the time between two evaluations.
Result<Ratio> benchTracing(const Bench& bench) {
    KURVE_TRY(const auto trainer,
              bench.trainer(static_cast<int>(bench.config.integer("train.cpu_replicas"))));
    std::string folder = (fs::temp_directory_path() / "kurve-bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return workError("io.write", "cannot make a temporary folder");
    std::vector<Override> only{{"eval.samples", "0"}, {"eval.loss_pairs", "0"}};
    KURVE_TRY(const RunConfig promptsOnly, bench.config.with(only));
    const train::Evaluator evaluator(*bench.data, promptsOnly, c10::kCPU, folder, nullptr);
    const double period = bench.config.real("eval.every_seconds");
    auto batches = bench.batches();
    Ratio ratio{
        "tracing", "time between evaluations with the fixed prompts recorded over the same without", {}};
    for (int round = -1; round < bench.rounds; ++round) {
        const double steps = timeSteps(*trainer, batches, bench.steps, nullptr, nullptr);
        const double between =
            period > 0 ? period
                       : steps / bench.steps * static_cast<double>(bench.config.integer("eval.every_steps"));
        const train::Trainer::Evaluation guard(*trainer);
        const double started = steadySeconds();
        KURVE_CHECKED(evaluator.evaluate(trainer->model(), {}, [] {}));
        if (round >= 0) ratio.rounds.push_back(1 + (steadySeconds() - started) / between);
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return ratio;
}

// What histograms of weights, gradients and activations at their usual rate add to the steps between two of
// them.
Result<Ratio> benchHistograms(const Bench& bench) {
    KURVE_TRY(const auto trainer, bench.trainer(1));
    const std::int64_t every = bench.config.integer("log.histogram_steps");
    if (every == 0)
        return requestError("bench.off", "log.histogram_steps is 0: there are no histograms to measure")
            .at("log.histogram_steps")
            .fix("--set log.histogram_steps=200");
    std::string folder = (fs::temp_directory_path() / "kurve-bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return workError("io.write", "cannot make a temporary folder");
    Ratio ratio{
        "histograms", fmt::format("time of {} steps with a set of histograms over one without", every), {}};
    {
        KURVE_TRY(const auto writer, store::RunWriter::open(folder));
        auto batches = bench.batches();
        for (int round = -1; round < bench.rounds; ++round) {
            const double steps = timeSteps(*trainer, batches, bench.steps, nullptr, nullptr);
            trainer->keepActivations(true);  // keeping costs nothing: training keeps them all the same
            timeSteps(*trainer, batches, 1, nullptr, nullptr);
            const double started = steadySeconds();
            train::recordHistograms(*trainer, *writer);
            const double taken = steadySeconds() - started;
            trainer->keepActivations(false);
            if (round >= 0)
                ratio.rounds.push_back(1 + taken / (steps / bench.steps * static_cast<double>(every)));
        }
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return ratio;
}

struct BenchKind {
    const char* name;
    Result<Ratio> (*run)(const Bench&);
};
constexpr BenchKind kKinds[] = {
    {"replicas", benchReplicas}, {"precision", benchPrecision}, {"checkpointing", benchCheckpointing},
    {"logging", benchLogging},   {"tracing", benchTracing},     {"histograms", benchHistograms}};

struct BenchRequest {
    std::string name, experiment;
    int rounds = 9;
};

Status runBenches(const CommonOptions& common, const BenchRequest& request, Output& out) {
    KURVE_TRY(const store::Project project, projectFor(common, fs::current_path()));
    fs::path file;
    if (!request.experiment.empty()) {
        KURVE_TRY(file, findExperiment(common, request.experiment));
    } else if (!project.experiments().empty()) {
        file = project.experiments().front();
    }
    Bench bench{common, request.rounds, 20, {}, project.folder(), nullptr, nullptr};
    KURVE_TRY(const RunConfig written,
              RunConfig::load(file.string(), models::schemaLookup(), overridesOf(common)));
    KURVE_TRY(bench.config, schedule::withInlinedSchedules(written, bench.project));
    bench.family = models::findFamily(bench.config.family());
    KURVE_TRY(text::Dataset data,
              text::prepareDataset(bench.config, bench.project, preparationProgress(common)));
    bench.data = std::make_shared<text::Dataset>(std::move(data));
    json ratios = json::array();
    std::string text;
    for (const auto& kind : kKinds) {
        if (!request.name.empty() && request.name != kind.name) continue;
        KURVE_TRY(const Ratio ratio, kind.run(bench));
        ratios.push_back({{"name", ratio.name},
                          {"meaning", ratio.meaning},
                          {"ratio", ratio.quantile(0.5)},
                          {"p10", ratio.quantile(0.1)},
                          {"p90", ratio.quantile(0.9)},
                          {"rounds", ratio.rounds}});
        text += fmt::format("{:<13} {:.3f}  [{:.3f}, {:.3f}]  {}\n", ratio.name, ratio.quantile(0.5),
                            ratio.quantile(0.1), ratio.quantile(0.9), ratio.meaning);
    }
    double load[3] = {0, 0, 0};
    ::getloadavg(load, 3);
    out.result({{"ratios", ratios},
                {"experiment", file.string()},
                {"machine", toJson(platform())},
                {"load", load[0]}},
               text);
    return {};
}

}  // namespace

Action setupBench(CLI::App& app) {
    auto request = std::make_shared<BenchRequest>();
    app.add_option("name", request->name,
                   "replicas, precision, checkpointing, logging, tracing or histograms (default: all)")
        ->check(
            CLI::IsMember({"replicas", "precision", "checkpointing", "logging", "tracing", "histograms"}));
    app.add_option("--experiment", request->experiment,
                   "experiment to train (default: the project's default)");
    app.add_option("--rounds", request->rounds, "rounds, each with both sides")->check(CLI::Range(3, 1000));
    return [request](const CommonOptions& common, Output& out) { return runBenches(common, *request, out); };
}

}  // namespace kurve::engine
