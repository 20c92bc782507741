#include "tests/app/engine/remote_fixture.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/base/file.h"
#include "core/remote/files.h"
#include "core/store/run_process.h"
#include "core/store/run_reader.h"
#include "tests/support/run_dump.h"

namespace kurve::testing {

namespace fs = std::filesystem;

void RemoteTest::SetUp() {
    if (const std::string missing = SshServer::missing(); !missing.empty()) GTEST_SKIP() << missing;
    TrainingTest::SetUp();
    ssh_ = std::make_unique<SshServer>();
    writeMachine();
}

void RemoteTest::TearDown() {
    const auto reader = store::RunReader::open(runThere());
    if (!reader) return;
    const auto values = (*reader)->values();
    if (store::writerRunsHere(runThere(), values)) ::kill(std::stoi(values.at("pid")), SIGKILL);
}

void RemoteTest::writeMachine(const std::string& more) const {
    std::ofstream(project_ / "machines.toml")
        << "[gpu]\nhost = \"gpu\"\nfolder = \"" << there().string() << "\"\n"
        << more;
}

void RemoteTest::expectSame(const std::string& id, Lack lack) const {
    EXPECT_EQ(dumpedRun(runFolder(id)), dumpedRun(runThere(id)));
    for (const auto& file : remote::filesBelow(runThere(id))) {
        const auto here = readFile(runFolder(id) / file.path, kModelBytes);
        const bool mayLack = lack == Lack::Checkpoints && file.path.starts_with("checkpoints/");
        EXPECT_TRUE(here || mayLack) << file.path << " is there only";
        if (here) EXPECT_TRUE(*here == *readFile(runThere(id) / file.path, kModelBytes)) << file.path;
    }
    for (const auto& file : remote::filesBelow(runFolder(id)))
        EXPECT_TRUE(fs::exists(runThere(id) / file.path)) << file.path << " is here only";
    for (const auto& entry : fs::recursive_directory_iterator(runFolder(id)))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path() << " was left";
}

nlohmann::json RemoteTest::errorOf(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return run(arguments).json().value("error", nlohmann::json::object());
}

void RemoteTest::cutAfter(const std::string& request) const {
    const std::string cut = wasCut().string(), failed = cut + ".failed";
    writeProgram("[ -e " + failed + R"( ] && exec kurve "$@"
[ -e )" + cut + " ] && { touch " +
                 failed + R"(; exit 255; }
kurve "$@" | while IFS= read -r line; do
  case "$line" in
    *'"type":")" +
                 request + R"("'*) touch )" + cut + R"(; pkill -KILL -P $$ -x kurve; exit;;
  esac
  printf '%s\n' "$line"
done
)");
}

void RemoteTest::writeProgram(const std::string& script) const {
    const fs::path program = other_ / "program";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    fs::permissions(program, fs::perms::owner_all);
    writeMachine("program = \"" + program.string() + "\"\n");
}

std::vector<std::string> RemoteTest::longTraining() {
    return {"train",
            "small",
            "--machine",
            "gpu",
            "--run",
            "r",
            "--events",
            "--max-steps",
            "1500",
            "--set",
            "eval.every_steps=100",
            "--set",
            "checkpoint.every_steps=300"};
}

}  // namespace kurve::testing
