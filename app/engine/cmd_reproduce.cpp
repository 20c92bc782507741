#include <bit>
#include <optional>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "app/engine/replay_run.h"
#include "app/engine/run_access.h"
#include "app/engine/training_job.h"
#include "core/base/counted.h"
#include "core/store/run_writer.h"

namespace kurve::engine {
namespace {

struct Comparison {
    std::int64_t compared = 0;               ///< logged points that both runs have
    std::optional<std::int64_t> difference;  ///< first step whose loss differs in any bit
    bool sameData = true;                    ///< corpora and their settings are unchanged
    std::string otherEnvironment;            ///< differences of machine and build
};

Result<Comparison> compareLosses(const OpenRun& first, const std::filesystem::path& again) {
    KURVE_TRY(const auto left, store::RunReader::open(first.folder));
    KURVE_TRY(const auto right, store::RunReader::open(again));
    store::Series a, b;
    store::SeriesCursor cursorA, cursorB;
    left->points("loss", cursorA, a);
    right->points("loss", cursorB, b);
    Comparison result;
    const auto then = left->values(), now = right->values();
    const auto dataThen = then.find("data_hash"), dataNow = now.find("data_hash");
    result.sameData = dataThen == then.end() || dataNow == now.end() || dataThen->second == dataNow->second;
    if (then.contains("environment") && now.contains("environment"))
        result.otherEnvironment = otherEnvironment(then.at("environment"), now.at("environment"));
    std::size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
        if (a.step[i] != b.step[k]) {
            a.step[i] < b.step[k] ? ++i : ++k;
            continue;
        }
        ++result.compared;
        const bool same =
            std::bit_cast<std::uint64_t>(a.value[i]) == std::bit_cast<std::uint64_t>(b.value[k]);
        if (!same && !result.difference) result.difference = a.step[i];
        ++i;
        ++k;
    }
    return result;
}

/// Appended to the difference.
std::string causeOf(const Comparison& found) {
    std::string cause;
    if (!found.sameData)
        cause = "; the corpora or their settings changed since: kurve verify names the files";
    if (!found.otherEnvironment.empty()) cause += "; " + found.otherEnvironment;
    return cause;
}

Status record(const std::filesystem::path& folder, const std::string& first, const Comparison& found) {
    KURVE_TRY(const auto writer, store::RunWriter::open(folder));
    const std::string text =
        found.difference
            ? fmt::format("the loss of step {} differs from {}{}", *found.difference, first, causeOf(found))
            : fmt::format("reproduces the losses of {}, bit for bit ({} compared)", first,
                          counted(found.compared, "point"));
    writer->set("reproduce_difference", found.difference ? std::to_string(*found.difference) : "none");
    writer->event(found.difference.value_or(0), "reproduce", text);
    return writer->flush();
}

Status reproduce(const CommonOptions& common, const std::string& run, const std::string& newRun,
                 Output& out) {
    KURVE_TRY(const OpenRun first, openRun(common, run));
    TrainingJob job;
    job.run = newRun;
    KURVE_TRY(const TrainedRun trained, reproduceRun(common, run, job));
    if (trained.failure) return *trained.failure;
    const auto folder = first.folder.parent_path() / trained.run;
    KURVE_TRY(const Comparison found, compareLosses(first, folder));
    const bool equal = !found.difference && found.compared > 0 && !trained.stoppedByUser;
    if (equal || found.difference) KURVE_CHECKED(record(folder, first.id, found));
    if (!equal) out.exitCode(1);
    if (trained.stoppedByUser) out.exitCode(130);
    nlohmann::json document = toJson(trained);
    document["reproduces"] = first.id;
    document["compared"] = found.compared;
    document["equal"] = equal;
    document["same_data"] = found.sameData;
    document["other_environment"] = found.otherEnvironment;
    if (found.difference) document["first_difference"] = *found.difference;
    out.result(document,
               found.difference
                   ? fmt::format("{} differs from {} from step {} on ({} compared){}", trained.run, first.id,
                                 *found.difference, counted(found.compared, "point"), causeOf(found))
               : !equal
                   ? fmt::format("{} is no reproduction of {}: it {} ({} compared)", trained.run, first.id,
                                 trained.stoppedByUser ? "was stopped" : "has no loss at a step of it",
                                 counted(found.compared, "point"))
                   : fmt::format("{} reproduces the losses of {}, bit for bit ({} compared)", trained.run,
                                 first.id, counted(found.compared, "point")));
    return {};
}

}  // namespace

Action setupReproduce(CLI::App& app) {
    struct Request {
        std::string run, newRun;
        ReplayRange replay;
    };
    auto request = std::make_shared<Request>();
    app.add_option("original", request->run, "run id or folder")->required();
    auto* newRun =
        app.add_option("--run", request->newRun, "id of the new run (default: time and four random digits)");
    auto* steps = app.add_option("--steps", request->replay.steps,
                                 "replay the last N steps from the checkpoint before them, without a new run "
                                 "(default: the whole run)")
                      ->check(CLI::PositiveNumber)
                      ->excludes(newRun);
    app.add_option("--to", request->replay.to, "checkpoint where the replay ends")->needs(steps);
    return [request, steps](const CommonOptions& common, Output& out) {
        return steps->count() > 0 ? replayRun(common, request->run, request->replay, out)
                                  : reproduce(common, request->run, request->newRun, out);
    };
}

}  // namespace kurve::engine
