#include "core/interop/import_run.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "tests/support/temporary_folder.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ImportRun : public ::testing::Test {
protected:
    void SetUp() override { std::ofstream(folder_ / "project.toml") << "name = \"test\"\n"; }
    [[nodiscard]] store::Project project() const { return *store::Project::open(folder_.path()); }
    [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }
    [[nodiscard]] static fs::path golden() {
        return fs::path(KURVE_SOURCE_DIR) / "tests/golden/interop/events";
    }
    [[nodiscard]] std::vector<store::RunSummary> runs() const {
        auto index = store::ProjectIndex::open(project());
        EXPECT_TRUE((*index)->refresh());
        return *(*index)->runs();
    }
    kurve::testing::TemporaryFolder folder_;
};

ImportRequest of(const fs::path& source) {
    ImportRequest request;
    request.source = source;
    return request;
}

TEST_F(ImportRun, MakesAFinishedRunThatSaysWhereItCameFrom) {
    const fs::path file = write("old.csv", "step,loss,wall\n0,2,1700000000\n7,nan,1700000030\n");
    const auto imported = importRuns(of(file), project());
    ASSERT_TRUE(imported) << imported.error().text();
    ASSERT_THAT(*imported, SizeIs(1));
    EXPECT_THAT(imported->front().metrics, ElementsAre("loss"));
    const auto all = runs();
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].id, imported->front().id);
    EXPECT_EQ(all[0].name, "old.csv");
    EXPECT_EQ(all[0].family, "imported");
    EXPECT_EQ(all[0].state, "completed");
    EXPECT_EQ(all[0].step, 7);
    EXPECT_EQ(all[0].started, 1700000000);
    EXPECT_EQ(all[0].ended, 1700000030);
    EXPECT_EQ(all[0].settings.at("import.format"), "csv");
    const auto reader = store::RunReader::open(project().runFolder(all[0].id));
    ASSERT_TRUE(reader);
    const auto values = (*reader)->values();
    EXPECT_EQ(values.at("source"), file.string());
    EXPECT_EQ(values.at("source_sha256"), *sha256File(file));
    EXPECT_EQ(values.at("source_files"), "{\"old.csv\":\"" + *sha256File(file) + "\"}");
    store::SeriesCursor cursor;
    store::Series loss;
    (*reader)->points("loss", cursor, loss);
    EXPECT_THAT(loss.step, ElementsAre(0, 7));
    EXPECT_TRUE(std::isnan(loss.value[1]));
    EXPECT_FALSE(fs::exists(project().runFolder(all[0].id) / "run.lock"));
}

TEST_F(ImportRun, AFolderIsARunForEachOfItsFolders) {
    ImportRequest request = of(golden());
    request.name = "old";
    const auto imported = importRuns(request, project());
    ASSERT_TRUE(imported) << imported.error().text();
    std::vector<std::string> names;
    for (const auto& run : *imported) names.push_back(run.name);
    EXPECT_THAT(names, ElementsAre("old/plain", "old/restart", "old/tensors"));
    const auto& restart = (*imported)[1];
    EXPECT_EQ(restart.attempts, 2);
    const auto reader = store::RunReader::open(project().runFolder(restart.id));
    ASSERT_TRUE(reader);
    store::SeriesCursor cursor;
    store::Series loss;
    (*reader)->points("loss", cursor, loss);
    EXPECT_THAT(loss.value, ElementsAre(0, 1, 2, 3.5, 4.5, 5.5, 6.5, 7.5));  // events.json
    EXPECT_THAT((*reader)->attempt("loss", 0).value, ElementsAre(0, 1, 2, 3, 4, 5));
    std::string list;  // as `sha256sum *` prints it
    for (const char* name :
         {"restart/events.out.tfevents.1700000000.golden", "restart/events.out.tfevents.1700000001.golden"})
        list += *sha256File(golden() / name) + "  " + name + "\n";
    EXPECT_EQ(restart.sha256, sha256(list));
}

TEST_F(ImportRun, TheSameBytesAreImportedOnceUnlessForced) {
    const fs::path file = write("old.jsonl", "{\"step\": 1, \"loss\": 2}\n");
    const auto first = importRuns(of(file), project());
    ASSERT_TRUE(first);
    const auto again = importRuns(of(file), project());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, "import.exists");
    EXPECT_THAT(again.error().message, HasSubstr(first->front().id));
    ImportRequest forced = of(file);
    forced.force = true;
    EXPECT_TRUE(importRuns(forced, project()));
    EXPECT_THAT(runs(), SizeIs(2));
    ASSERT_TRUE(importRuns(of(write("other.jsonl", "{\"step\": 1, \"loss\": 3}\n")), project()));
    EXPECT_THAT(runs(), SizeIs(3));
}

TEST_F(ImportRun, FailureLeavesNothingBehind) {
    const auto entries = [&] {
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
            if (entry.path().filename().string().find("index.db") == std::string::npos)
                names.push_back(entry.path().filename());
        return names;
    };
    const fs::path bad = write("bad.csv", "step,loss\n1,2\n2\n3,4\n");
    const auto before = entries();
    EXPECT_EQ(importRuns(of(bad), project()).error().line, 3);
    ImportRequest request = of(golden());
    request.run = "one";
    EXPECT_EQ(importRuns(request, project()).error().code, "import.several");
    request = of(write("bad.csv", "step,loss\n1,2\n"));
    request.run = "../one";
    EXPECT_EQ(importRuns(request, project()).error().code, "run.bad_id");
    EXPECT_EQ(importRuns(of(folder_ / "none.csv"), project()).error().code, "io.open");
    EXPECT_EQ(entries(), before);
    request.run = "one";
    ASSERT_TRUE(importRuns(request, project()));
    request.force = true;
    EXPECT_EQ(importRuns(request, project()).error().code, "run.exists");
}

// More points than the writer's queue takes at once.
TEST_F(ImportRun, KeepsEveryPointOfALongLog) {
    std::string text = "step,a,b\n";
    constexpr int kSteps = 101'000;
    for (int i = 0; i < kSteps; ++i) text += fmt::format("{},{},{}\n", i, i * 0.5, -i);
    const auto imported = importRuns(of(write("long.csv", text)), project());
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->front().points, 2 * kSteps);
    const auto reader = store::RunReader::open(project().runFolder(imported->front().id));
    for (const auto& [metric, factor] : {std::pair("a", 0.5), std::pair("b", -1.0)}) {
        store::SeriesCursor cursor;
        store::Series series;
        (*reader)->points(metric, cursor, series);
        ASSERT_EQ(series.size(), static_cast<std::size_t>(kSteps));
        for (int i = 0; i < kSteps; ++i) ASSERT_EQ(series.value[static_cast<std::size_t>(i)], i * factor);
    }
}

}  // namespace
}  // namespace kurve::interop
