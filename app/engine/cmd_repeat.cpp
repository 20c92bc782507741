#include <bit>
#include <optional>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "app/engine/training_job.h"
#include "core/base/counted.h"
#include "core/store/run_writer.h"

namespace kurve::engine {
namespace {

struct Comparison {
    std::int64_t compared = 0;               ///< logged points that both runs have
    std::optional<std::int64_t> difference;  ///< first step whose loss differs in any bit
    bool sameData = true;                    ///< the corpora and their settings are those of then
};

// A logged point is the mean since the one before; the first after a resume may be of fewer steps.
bool isWholePoint(std::int64_t step, std::int64_t every, const std::vector<store::SegmentRow>& segments) {
    for (const auto& segment : segments)
        if (segment.startStep > 1 && (segment.startStep - 1) % every != 0 && segment.startStep <= step &&
            step < segment.startStep + every)
            return false;
    return true;
}

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
    const auto segments = left->segments();
    const std::int64_t every = first.config.integer("log.every_steps");
    std::size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
        if (a.step[i] != b.step[k]) {
            a.step[i] < b.step[k] ? ++i : ++k;
            continue;
        }
        if (isWholePoint(a.step[i], every, segments)) {
            ++result.compared;
            const bool same =
                std::bit_cast<std::uint64_t>(a.value[i]) == std::bit_cast<std::uint64_t>(b.value[k]);
            if (!same && !result.difference) result.difference = a.step[i];
        }
        ++i;
        ++k;
    }
    return result;
}

/// Behind what differs.
std::string causeOf(const Comparison& found) {
    return found.sameData ? ""
                          : "; the corpora or their settings changed since, kurve verify names the files";
}

Status record(const std::filesystem::path& folder, const std::string& first, const Comparison& found) {
    KURVE_TRY(const auto writer, store::RunWriter::open(folder));
    const std::string text =
        found.difference
            ? fmt::format("the loss of step {} is not that of {}{}", *found.difference, first, causeOf(found))
            : fmt::format("{} losses are those of {}, bit for bit", found.compared, first);
    writer->set("repeat_difference", found.difference ? std::to_string(*found.difference) : "none");
    writer->event(found.difference.value_or(0), "repeat", text);
    return writer->flush();
}

Status repeat(const CommonOptions& common, const std::string& run, const std::string& newRun, Output& out) {
    KURVE_TRY(const OpenRun first, openRun(common, run));
    TrainingJob job;
    job.run = newRun;
    KURVE_TRY(const TrainedRun trained, repeatRun(common, run, job));
    if (trained.failure) return *trained.failure;
    const auto folder = first.folder.parent_path() / trained.run;
    KURVE_TRY(const Comparison found, compareLosses(first, folder));
    KURVE_CHECKED(record(folder, first.id, found));
    if (trained.stoppedByUser) out.exitCode(130);
    nlohmann::json document = toJson(trained);
    document["repeats"] = first.id;
    document["compared"] = found.compared;
    document["same"] = !found.difference.has_value();
    document["same_data"] = found.sameData;
    document["first_difference"] = found.difference ? nlohmann::json(*found.difference) : nlohmann::json();
    out.result(document,
               found.difference
                   ? fmt::format("{} differs from {} from step {} on ({} compared){}", trained.run, first.id,
                                 *found.difference, counted(found.compared, "point"), causeOf(found))
                   : fmt::format("{} has the losses of {}, bit for bit ({} compared)", trained.run, first.id,
                                 counted(found.compared, "point")));
    return {};
}

}  // namespace

Action setupRepeat(CLI::App& app) {
    struct Request {
        std::string run, newRun;
    };
    auto request = std::make_shared<Request>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--run", request->newRun, "id of the new run");
    return [request](const CommonOptions& common, Output& out) {
        return repeat(common, request->run, request->newRun, out);
    };
}

}  // namespace kurve::engine
