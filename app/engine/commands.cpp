#include "app/engine/commands.h"

namespace kurve::engine {

const std::vector<CommandKind>& commands() {
    static const std::vector<CommandKind> list{
        {"new", "make a project from a bundled template", setupNew},
        {"describe", "what this build knows: families, schedules, metrics, samplers, devices", setupDescribe},
        {"data", "statistics, import and tokenisation of text", setupData},
        {"train", "train a model", setupTrain},
        {"resume", "go on with a run exactly where it stopped", setupResume},
        {"fork", "start a new run from a checkpoint", setupFork},
        {"repeat", "train a run again exactly and say where the two differ", setupRepeat},
        {"checkpoints", "list a run's checkpoints, pin them", setupCheckpoints},
        {"sample", "generate with a trained model", setupSample},
        {"sampler", "what a run decodes with where nobody says otherwise", setupSampler},
        {"trace", "record one denoising step by step", setupTrace},
        {"eval", "score a checkpoint", setupEval},
        {"distil", "a corpus of what a run writes for its training sources", setupDistil},
        {"sweep", "accuracy against diversity over sampler settings", setupSweep},
        {"score", "any metric on text files", setupScore},
        {"spline", "the sentence curve's matrices", setupSpline},
        {"schedule", "the numbers of a noise schedule", setupSchedule},
        {"runs", "the run table", setupRuns},
        {"query", "read-only SQL on the project's index or a run", setupQuery},
        {"export", "get data out of runs: tables, weights, a page that compares them", setupExport},
        {"import", "make runs of what other programs logged", setupImport},
        {"verify", "check files and hashes, repair what can be rebuilt, replay", setupVerify},
        {"bench", "the benchmarks that ship with the product", setupBench},
        {"demo", "the first-run experience on a copy of the sample project", setupDemo},
        {"completion", "print the completion script of a shell", setupCompletion},
    };
    return list;
}

}  // namespace kurve::engine
