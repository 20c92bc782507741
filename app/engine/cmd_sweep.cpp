#include <cmath>

#include "app/engine/commands.h"
#include "app/engine/sweep_job.h"
#include "core/base/counted.h"
#include "core/base/text.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

std::string settingsText(const frontier::Settings& settings) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : settings) parts.push_back(key.substr(key.find('.') + 1) + "=" + value);
    return parts.empty() ? "(the run's own)" : join(parts, " ");
}

/// One line a point, best quality last, a star before those on the front.
std::string tableOf(const SweepJob& job, const json& document) {
    const auto front = document.at("front").get<std::set<std::size_t>>();
    std::string text;
    for (std::size_t i = 0; i < job.points().size(); ++i) {
        const auto& point = job.points()[i];
        text += fmt::format("{} {:<44}", front.contains(i) ? "*" : " ", settingsText(point.settings));
        for (const auto* side : {&point.quality, &point.diversity})
            for (const auto& [id, e] : *side)
                text += fmt::format("  {} {:.3f}", id, e.value) +
                        (std::isfinite(e.low) ? fmt::format(" [{:.3f}, {:.3f}]", e.low, e.high) : "");
        text += fmt::format("  {:.1f} s\n", point.cost.seconds);
    }
    text +=
        fmt::format("{} computed, {} cached, {} left; * = on the front\n", document.at("computed").get<int>(),
                    document.at("cached").get<int>(), document.at("left").get<int>());
    for (const json& key : document.at("without_effect"))
        text += fmt::format("warning: {} changed no output: it may have no effect with the other settings\n",
                            key.get<std::string>());
    return text;
}

Status sweep(const CommonOptions& common, const SweepRequest& request, Output& out) {
    catchStopSignals();
    KURVE_TRY(const LoadedModel loaded, loadModel(common, {request.run, request.checkpoint, false, true}));
    ControlLink link(common, loaded.run.id);
    SweepJob job(common, request, loaded, link);
    const auto reported = [&](const Error& error) {
        if (common.events) link.emit(train::errorEvent(error));
        return error;
    };
    if (const auto ready = job.prepare(); !ready) return reported(ready.error());
    if (request.estimate) {
        const auto estimated = job.estimate();
        if (job.stopped()) {
            out.exitCode(130);
            return {};
        }
        if (!estimated) return reported(estimated.error());
        const json& estimate = *estimated;
        const std::string finer =
            request.refine > 0 ? fmt::format(" and up to {} refined", request.refine) : "";
        out.result(estimate,
                   fmt::format("{}{}, {} cached; about {:.0f} s for the rest\n",
                               counted(estimate.at("points").get<int>(), "point"), finer,
                               estimate.at("cached").get<int>(), estimate.at("seconds").get<double>()));
        return {};
    }
    if (const auto done = job.compute(); !done) return reported(done.error());
    link.close();
    const json document = job.document();
    out.result(document, tableOf(job, document));
    if (job.stopped()) out.exitCode(130);
    return {};
}

}  // namespace

Action setupSweep(CLI::App& app) {
    auto request = std::make_shared<SweepRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--checkpoint", request->checkpoint, kWeightsHelp);
    app.add_option("--grid", request->grid, "sampler.KEY=A,B,C or FIRST..LAST:STEP; repeat for more settings")
        ->required();
    app.add_option("--split", request->split, "valid or test")->check(CLI::IsMember({"valid", "test"}));
    app.add_option("--limit", request->limit, "sentences per point")->check(CLI::PositiveNumber);
    app.add_option("--seeds", request->seeds, "samples per sentence")->check(CLI::Range(1, 100));
    app.add_option("--quality", request->quality,
                   "metric ids, with commas; the first one makes the front (bleu,chrf; with --scorer also "
                   "gen_ppl,mauve; of a model of texts that draws brier-accuracy-1)");
    app.add_option(
        "--scorer", request->scorer,
        "the project's run with an exact likelihood, RUN or RUN@CHECKPOINT, that reads the outputs for "
        "gen_ppl and mauve (default: sampler.scorer)");
    app.add_option(
        "--diversity", request->diversity,
        "distinct-1, -2, -3, entropy, one-minus-self-bleu; the first one makes the front (default: "
        "one-minus-self-bleu,distinct-2,entropy; of a model of texts that draws "
        "one-minus-brier-collision-1)");
    app.add_option("--refine", request->refine,
                   "after the grid, N more points where the front bends or gaps most")
        ->check(CLI::Range(0, 1000));
    app.add_option("--max-seconds", request->maxSeconds,
                   "time limit: no point begins after it (default: none)")
        ->check(CLI::PositiveNumber);
    app.add_flag("--estimate", request->estimate, "only estimate the time");
    return [request](const CommonOptions& common, Output& out) { return sweep(common, *request, out); };
}

}  // namespace kurve::engine
