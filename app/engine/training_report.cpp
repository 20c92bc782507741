// What training_job.h tells of trainings.
#include "app/engine/output.h"
#include "app/engine/training_job.h"
#include "core/base/counted.h"
#include "core/wire/fields.h"

namespace kurve::engine {

namespace fs = std::filesystem;

nlohmann::json toJson(const TrainedRun& trained) {
    nlohmann::json metrics = nlohmann::json::object();
    for (const auto& [name, value] : trained.metrics) metrics[name] = jsonNumber(value);
    return {{"run", trained.run},
            {"state", trained.state},
            {"reason", trained.reason},
            {"steps", trained.steps},
            {"metrics", metrics},
            {"seconds", trained.seconds},
            {"tokens_per_second", trained.tokensPerSecond},
            {"checkpoint", trained.checkpoint}};
}

namespace {

/// The validation loss, or of a run without one its first validation metric; "-" before an evaluation.
std::pair<std::string, std::string> validationOf(const TrainedRun& trained) {
    auto found = trained.metrics.find("valid_loss");
    if (found == trained.metrics.end()) found = trained.metrics.lower_bound("valid_");
    if (found == trained.metrics.end() || !found->first.starts_with("valid_"))
        return {"validation loss", "-"};
    return {found->first == "valid_loss" ? "validation loss" : found->first,
            fmt::format("{:.5g}", found->second)};
}

std::string summaryOf(const TrainedRun& trained) {
    const auto loss = trained.metrics.find("loss");
    const auto [validation, value] = validationOf(trained);
    const fs::path folder = fs::path(trained.checkpoint).parent_path().parent_path();
    const auto row = [](const std::string& label, const std::string& number) {
        return fmt::format("{:<18}{:>12}\n", label, number);
    };
    return row("steps", std::to_string(trained.steps)) +
           row("last loss", loss == trained.metrics.end() ? "-" : fmt::format("{:.5g}", loss->second)) +
           row(validation, value) + row("tokens per second", fmt::format("{:.0f}", trained.tokensPerSecond)) +
           row("wall time", fmt::format("{:.1f} s", trained.seconds)) +
           fmt::format("run {} {} ({}); everything else: kurve runs, {}\n", trained.run, trained.state,
                       trained.reason, folder.string());
}

nlohmann::json megabytes(const train::MemoryNeed& need) {
    const auto mb = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
    return {{"total", mb(need.total())},
            {"weights", mb(need.weights)},
            {"gradients", mb(need.gradients)},
            {"optimizer", mb(need.optimizer)},
            {"activations", mb(need.activations)}};
}

}  // namespace

void report(const MemoryEstimate& estimate, Output& out) {
    const auto problem = train::memoryProblem(estimate.need, estimate.free);
    const nlohmann::json mb = megabytes(estimate.need);
    std::string text = fmt::format(
        "{} parameters; memory about {:.0f} MB: {:.0f} weights, {:.0f} gradients, {:.0f} optimizer, {:.0f} "
        "activations of a batch\n",
        estimate.need.parameters, mb["total"].get<double>(), mb["weights"].get<double>(),
        mb["gradients"].get<double>(), mb["optimizer"].get<double>(), mb["activations"].get<double>());
    if (estimate.free)
        text += fmt::format("{:.0f} MB are free on {}\n", static_cast<double>(*estimate.free) / 1e6,
                            estimate.device);
    nlohmann::json document{{"estimate", true}, {"parameters", estimate.need.parameters},
                            {"memory_mb", mb},  {"device", estimate.device},
                            {"fits", !problem}, {"free_memory_mb", nullptr}};
    if (estimate.free) document["free_memory_mb"] = static_cast<double>(*estimate.free) / 1e6;
    if (problem) {
        text += "warning: " + problem->text() + "\n";
        document["problem"] = problem->message;
    }
    out.result(document, text);
}

nlohmann::json toJson(const train::DryRunReport& measured) {
    return {{"dry_run", true},
            {"parameters", measured.parameters},
            {"steps", measured.steps},
            {"step_seconds",
             {{"median", measured.stepMedian}, {"min", measured.stepMin}, {"max", measured.stepMax}}},
            {"first_step_seconds", measured.firstStepSeconds},
            {"prepare_seconds", measured.prepareSeconds},
            {"tokens_per_second", measured.tokensPerSecond},
            {"total_steps", measured.totalSteps},
            {"evaluation_seconds", measured.evaluationSeconds},
            {"evaluations", measured.evaluations},
            {"eta_seconds", measured.totalSeconds},
            {"peak_memory_mb", measured.peakMegabytes},
            {"expected_memory_mb", megabytes(measured.need)},
            {"checkpointed_memory_mb", megabytes(measured.checkpointed)},
            {"available_memory_mb", measured.availableMegabytes},
            {"checkpoint_mb", measured.checkpointMegabytes},
            {"checkpoints_mb", measured.retainedMegabytes},
            {"free_disk_mb", measured.freeMegabytes},
            {"warnings", measured.warnings}};
}

void reportDryRun(const nlohmann::json& measured, Output& out) {
    const wire::Fields said(measured), step = said.object("step_seconds");
    std::string text = fmt::format(
        "{} parameters, {:.3g} s a step ({:.3g} to {:.3g}), {:.0f} tokens/s\n"
        "memory {:.0f} MB (a training about {:.0f}, {:.0f} with activation checkpointing), checkpoints of "
        "{:.1f} MB\n"
        "{} and {} of {:.2g} s: about {:.0f} s\n",
        said.integer<std::int64_t>("parameters", 0), step.number("median"), step.number("min"),
        step.number("max"), said.number("tokens_per_second"), said.number("peak_memory_mb"),
        said.object("expected_memory_mb").number("total"),
        said.object("checkpointed_memory_mb").number("total"), said.number("checkpoint_mb"),
        counted(said.integer<std::int64_t>("total_steps", 0), "step"),
        counted(said.integer<std::int64_t>("evaluations", 0), "evaluation"),
        said.number("evaluation_seconds"), said.number("eta_seconds"));
    for (const auto& warning : said.texts("warnings")) text += "warning: " + warning + "\n";
    out.result(measured, text);
}

Status report(const TrainedRun& trained, Output& out, const std::string& machine) {
    if (trained.state.empty()) return {};
    if (trained.failure) return *trained.failure;
    if (trained.stoppedByUser) out.exitCode(130);
    nlohmann::json document = toJson(trained);
    document["machine"] = machine;
    out.result(document, summaryOf(trained));
    return {};
}

}  // namespace kurve::engine
