#include "app/engine/commands.h"

namespace kurve::engine {

const std::vector<CommandKind>& commands() {
    static const std::vector<CommandKind> list{
        {"new", "make a project from a bundled template", setupNew},
        {"describe", "list families, schedules, metrics, samplers and devices", setupDescribe},
        {"data", "statistics, import and tokenization of text", setupData},
        {"train", "train a model", setupTrain},
        {"resume", "continue a run exactly where it stopped", setupResume},
        {"fork", "start a new run from a checkpoint", setupFork},
        {"reproduce", "train a run or its last steps again and compare bit for bit", setupReproduce},
        {"checkpoints", "list, pin and prune a run's checkpoints", setupCheckpoints},
        {"sample", "generate with a trained model", setupSample},
        {"default-sampler", "show or set the sampler settings that a run decodes with", setupDefaultSampler},
        {"trace", "record a trace: one text, denoising step by step", setupTrace},
        {"eval", "score a checkpoint on a split", setupEval},
        {"dependence", "measure how tokens predicted at once depend on each other", setupDependence},
        {"distil", "make a distilled corpus from a run's outputs", setupDistil},
        {"sweep", "measure quality and diversity over sampler settings", setupSweep},
        {"score", "score text files with any metric", setupScore},
        {"spline", "print the matrices of a sentence curve", setupSpline},
        {"schedule", "print a noise schedule", setupSchedule},
        {"law", "print what sampling by draws alone gives of a distribution", setupLaw},
        {"runs", "list the runs", setupRuns},
        {"query", "run read-only SQL on the project's index or a run", setupQuery},
        {"export", "write tables, traces, weights or a report of runs", setupExport},
        {"import", "import logs of other programs as runs", setupImport},
        {"import-model", "make a run out of published weights", setupImportModel},
        {"import-encoder", "make a run out of a published sentence encoder", setupImportEncoder},
        {"follow", "follow a run that another machine trains", setupFollow},
        {"fetch", "fetch checkpoints and other files of such a run", setupFetch},
        {"machines", "list and check your other machines", setupMachines},
        {"serve", "answer a kurve on another machine that asks by ssh", setupServe},
        {"verify", "check files and hashes, repair what can be rebuilt", setupVerify},
        {"bench", "run the bundled benchmarks", setupBench},
        {"demo", "try a copy of the sample project", setupDemo},
        {"completion", "print the completion script of a shell", setupCompletion},
    };
    return list;
}

}  // namespace kurve::engine
