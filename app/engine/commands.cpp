#include "app/engine/commands.h"

namespace kurve::engine {

const std::vector<CommandKind>& commands() {
    static const std::vector<CommandKind> list{
#ifdef KURVE_HAS_NEW
        {"new", "make a project from a bundled template", setupNew},
#endif
        {"describe", "what this build knows: families, schedules, metrics, samplers, devices", setupDescribe},
#ifdef KURVE_HAS_DATA
        {"data", "statistics, import and tokenisation of text", setupData},
#endif
#ifdef KURVE_HAS_TRAIN
        {"train", "train a model", setupTrain},
        {"resume", "go on with a run exactly where it stopped", setupResume},
        {"fork", "start a new run from a checkpoint", setupFork},
#endif
#ifdef KURVE_HAS_SAMPLE
        {"sample", "generate with a trained model", setupSample},
        {"trace", "record one denoising step by step", setupTrace},
        {"eval", "score a checkpoint", setupEval},
#endif
#ifdef KURVE_HAS_SCORE
        {"score", "any metric on text files", setupScore},
#endif
#ifdef KURVE_HAS_SPLINE
        {"spline", "the sentence curve's matrices", setupSpline},
#endif
#ifdef KURVE_HAS_SCHEDULE
        {"schedule", "the numbers of a noise schedule", setupSchedule},
#endif
#ifdef KURVE_HAS_RUNS
        {"runs", "the run table", setupRuns},
#endif
#ifdef KURVE_HAS_QUERY
        {"query", "read-only SQL on the project's index or a run", setupQuery},
#endif
#ifdef KURVE_HAS_EXPORT
        {"export", "get data out of a run", setupExport},
#endif
#ifdef KURVE_HAS_VERIFY
        {"verify", "check files and hashes, repair what can be rebuilt", setupVerify},
#endif
#ifdef KURVE_HAS_BENCH
        {"bench", "the benchmarks that ship with the product", setupBench},
#endif
#ifdef KURVE_HAS_DEMO
        {"demo", "the first-run experience on a copy of the sample project", setupDemo},
#endif
        {"completion", "print the completion script of a shell", setupCompletion},
    };
    return list;
}

}  // namespace kurve::engine
