#include <algorithm>

#include "app/engine/commands.h"
#include "app/engine/distil_job.h"
#include "app/engine/teacher_choice.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/train/inference_server.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

struct Summary {
    json document;
    std::string text;
};

Summary summaryOf(const DistilJob& job, const text::DistilReport& report) {
    return {
        {{"corpus", report.name},
         {"file", report.file},
         {"pairs", report.pairs},
         {"copied", report.copied},
         {"original", report.original},
         {"left_out",
          {{"empty", report.empty}, {"too_long", report.tooLong}, {"unlike_lengths", report.unlikeLengths}}}},
        fmt::format(
            "{}: {} of {} ({} empty, {} too long, {} of unlike lengths left out); targets: {} as the "
            "references, {} as the sources\ntrain on it with data.distilled = true and data.distilled_train "
            "= \"{}\"\n",
            report.file, report.pairs, counted(job.total(), "pair"), report.empty, report.tooLong,
            report.unlikeLengths, report.original, report.copied, report.file)};
}

Summary summaryOfStopped(const DistilJob& job) {
    return {
        {{"corpus", job.name()}, {"stopped", true}},
        fmt::format("stopped after {} of {} sources; the same command continues\n", job.done(), job.total())};
}

Error failed(const CommonOptions& common, ControlLink& link, const Error& error) {
    if (common.events) link.emit(train::errorEvent(error));
    return error;
}

Status distil(const CommonOptions& common, const DistilRequest& request, Output& out) {
    const double started = steadySeconds();
    KURVE_TRY(const OpenRun run, openRun(common, request.run));
    ControlLink link(common, run.id);
    TeacherChoice choice;
    choice.weights = request.checkpoint;
    if (request.checkpoint.empty()) {
        auto chosen = chooseTeacher(common, request.run, link);
        if (!chosen) return failed(common, link, chosen.error());
        choice = std::move(*chosen);
    }
    if (choice.stopped) {
        link.close();
        out.result({{"run", run.id}, {"stopped", true}}, "stopped before the first source\n");
        out.exitCode(130);
        return {};
    }
    auto loaded = loadModel(common, {request.run, choice.weights, false, true});
    if (loaded && loaded->data->texts)
        return requestError("data.no_source", "a text has no source that a teacher could rewrite")
            .in(loaded->run.folder.string())
            .fix("name a run that was trained on pairs");
    if (!loaded) return failed(common, link, loaded.error());
    const LoadedModel& teacher = *loaded;
    catchStopSignals();  // from here on there is something to save
    DistilJob job(common, request, teacher, link);
    const auto finish = [&]() -> Result<Summary> {
        KURVE_CHECKED(job.prepare());
        KURVE_CHECKED(job.decode());
        if (job.stopped()) return summaryOfStopped(job);
        KURVE_TRY(const text::DistilReport report, job.write());
        return summaryOf(job, report);
    };
    auto summary = finish();
    if (!summary) return failed(common, link, summary.error());
    link.close();
    json& document = summary->document;
    document.update({{"run", teacher.run.id},
                     {"decoded", job.done()},
                     {"known", job.known()},
                     {"total", job.total()},
                     {"seconds", steadySeconds() - started}});
    if (!choice.tried.empty()) {
        document["tried"] = choice.document();
        summary->text = choice.text() + "\n" + summary->text;
    }
    document.update(teacher.weights.document());
    out.result(document, summary->text);
    if (job.stopped()) out.exitCode(130);
    return {};
}

}  // namespace

Action setupDistil(CLI::App& app) {
    auto request = std::make_shared<DistilRequest>();
    app.add_option("run", request->run, "the teacher: run id or folder")->required();
    app.add_option(
        "--checkpoint", request->checkpoint,
        std::string(kWeightsHelp) + " (default: the best validation BLEU of best and avg2 to avg5)");
    app.add_option("--split", request->split, "train; validation and test keep their references")
        ->check(CLI::IsMember({"train"}));
    app.add_option("--name", request->name,
                   "name of the corpus (default: that of the training corpus with -kd)");
    app.add_option("--longest", request->filter.longest, "leave out pairs with a side of more tokens")
        ->check(CLI::PositiveNumber);
    app.add_option("--ratio", request->filter.ratio, "leave out pairs whose sides' lengths differ more")
        ->check(CLI::Range(1.0, 1e6));
    return [request](const CommonOptions& common, Output& out) { return distil(common, *request, out); };
}

}  // namespace kurve::engine
