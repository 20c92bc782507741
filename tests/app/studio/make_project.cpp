// make_synthetic_project DIR [RUNS]: a project full of made-up runs, for looking at the studio without an
// engine.

#include <cstdio>
#include <cstdlib>

#include "tests/app/studio/synthetic_run.h"

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: %s DIR [RUNS]\n", argv[0]), 2;
    const std::filesystem::path folder = argv[1];
    kurve::testing::writeSyntheticProject(folder);
    const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
    static const char* const kStates[] = {"completed", "completed", "cancelled", "failed", "crashed"};
    static const char* const kReasons[] = {"", "", "stopped by the user at step 3,990",
                                           "the loss was not finite at step 3,990", "the process is gone"};
    static const char* const kNames[] = {"restore-difformer", "restore-sclm rho 2", "restore-repeat",
                                         "too-high-lr", "killed"};
    for (int i = 0; i < runs; ++i) {
        char id[32];
        std::snprintf(id, sizeof id, "20261120-%06d-%04x", 100000 + i, i);
        kurve::testing::writeSyntheticRun(
            folder, {id, kNames[i % 5], kStates[i % 5], kReasons[i % 5], runs > 50 ? 20 : 400, 1.0 + i % 7});
    }
    return 0;
}
