#pragma once

#include "app/engine/command.h"

namespace kurve::engine {

// One per file cmd_<name>.cpp; the list that the program and its help show is in commands.cpp.
Action setupNew(CLI::App& app);
Action setupDescribe(CLI::App& app);
Action setupData(CLI::App& app);
Action setupTrain(CLI::App& app);
Action setupResume(CLI::App& app);
Action setupFork(CLI::App& app);
Action setupReproduce(CLI::App& app);
Action setupCheckpoints(CLI::App& app);
Action setupSample(CLI::App& app);
Action setupDefaultSampler(CLI::App& app);
Action setupTrace(CLI::App& app);
Action setupEval(CLI::App& app);
Action setupSweep(CLI::App& app);
Action setupDependence(CLI::App& app);
Action setupDistil(CLI::App& app);
Action setupScore(CLI::App& app);
Action setupSpline(CLI::App& app);
Action setupSchedule(CLI::App& app);
Action setupLaw(CLI::App& app);
Action setupRuns(CLI::App& app);
Action setupQuery(CLI::App& app);
Action setupExport(CLI::App& app);
Action setupImport(CLI::App& app);
Action setupImportModel(CLI::App& app);
Action setupImportEncoder(CLI::App& app);
Action setupFollow(CLI::App& app);
Action setupFetch(CLI::App& app);
Action setupMachines(CLI::App& app);
Action setupServe(CLI::App& app);
Action setupVerify(CLI::App& app);
Action setupBench(CLI::App& app);
Action setupDemo(CLI::App& app);
Action setupCompletion(CLI::App& app);

}  // namespace kurve::engine
