#include "app/engine/replay_run.h"

#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/run_access.h"
#include "app/engine/run_resolver.h"
#include "core/train/replay.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

// The newest checkpoint `steps` or more before `to` that training can continue from.
std::string checkpointBefore(const OpenRun& run, const ChosenCheckpoint& to, std::int64_t steps) {
    bool before = false;
    for (auto row = run.checkpoints.rbegin(); row != run.checkpoints.rend(); ++row) {
        const std::string name = row->path.name();
        const bool usable = before && row->step <= to.state.step - steps;
        before = before || name == to.folder.filename();
        if (!usable) continue;
        const auto chosen = chooseCheckpoint(run, name);
        if (chosen && chosen->state.optimizer) return name;
    }
    return "start";
}

}  // namespace

Status checkTrainedAlone(const train::TrainingState& state) {
    if (state.mostRanks <= 1) return {};
    return requestError("reproduce.ranks",
                        fmt::format("the run was trained by {} processes, and this is one", state.mostRanks))
        .fix("train its experiment anew with as many: the same number gives the same bits");
}

Status replayRun(const CommonOptions& common, const std::string& name, const ReplayRange& range,
                 Output& out) {
    KURVE_TRY(const OpenRun run, openRun(common, name));
    KURVE_TRY(const ChosenCheckpoint to, chooseCheckpoint(run, range.to));
    KURVE_CHECKED(checkTrainedAlone(to.state));
    train::ReplayRequest request;
    request.family = run.family;
    request.config = run.config;
    request.project = run.project;
    request.to = to.folder;
    request.force = common.force;
    KURVE_TRY(request.device, chooseDevice(common.device));
    request.resolver = makeRunResolver(common, run.project, request.device, ReferringRun::of(run));
    const std::string from = checkpointBefore(run, to, range.steps);
    if (from != "start") {
        KURVE_TRY(const ChosenCheckpoint begin, chooseCheckpoint(run, from));
        request.from = begin.folder;
    }
    ProgressLine line(common.quiet);
    request.progress = [&](double fraction, const std::string& what) { line.show(fraction, what); };
    KURVE_TRY(const train::ReplayReport report, train::replay(request));
    line.clear();
    json problems = json::array();
    std::string text = fmt::format("steps {} to {} of {} reproduce its weights and moments, bit for bit",
                                   report.fromStep, report.toStep, run.id);
    if (!report.same) {
        const auto then = run.values.find("environment");
        const std::string other =
            then == run.values.end() ? "" : otherEnvironment(then->second, environmentText(request.device));
        Error error = workError("replay.differs",
                                fmt::format("steps {} to {} do not reproduce the stored numbers{}{}",
                                            report.fromStep, report.toStep, other.empty() ? "" : ": ", other))
                          .at(report.firstDifference)
                          .fix(
                              "results are exact on the CPU of one machine, for a fixed number of threads "
                              "and one build");
        text = error.text();
        problems.push_back(errorJson(error)["error"]);
        out.exitCode(1);
    }
    json document{{"run", run.id},
                  {"equal", report.same},
                  {"from", report.fromStep},
                  {"to", report.toStep},
                  {"largest_difference", report.largestDifference},
                  {"problems", problems}};
    if (!report.same) document["first_difference"] = report.firstDifference;
    out.result(document, text);
    return {};
}

}  // namespace kurve::engine
