// Single traces: into the trash, back, and away for good.
#include "core/store/trace_trash.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/store/detail/sqlite.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;

class TraceTrash : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(folder_ / "project.toml") << "name = \"p\"\n";
        project_ = *Project::open(folder_.path());
        run_ = project_->runFolder("r");
        auto writer = *RunWriter::open(run_);
        writer->set("state", "completed");
        for (const char* name : {"a", "b"}) {
            TraceRow row;
            row.path = RunFile(std::string("traces/") + name + ".safetensors");
            row.bytes = 300;
            writer->trace(row);
            fill(run_ / row.path.text(), 300);
        }
        ASSERT_TRUE(writer->flush());
        fill(run_ / "checkpoints/1/model.safetensors", 10);
    }
    static void fill(const fs::path& file, std::size_t bytes) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << std::string(bytes, 'x');
    }
    [[nodiscard]] Status trash(const std::string& batch) const {
        const std::vector<TraceFile> from{a_}, to{inTrash(a_, batch)};
        return moveTraces(*project_, from, to);
    }
    [[nodiscard]] Status restore(const std::string& batch) const {
        const std::vector<TraceFile> from{inTrash(a_, batch)}, to{a_};
        return moveTraces(*project_, from, to);
    }

    testing::TemporaryFolder folder_;
    std::optional<Project> project_;
    fs::path run_;
    const TraceFile a_{"r", "traces/a.safetensors", 300};
};

TEST_F(TraceTrash, KeepsTheBytesAndGivesTheFileBack) {
    ASSERT_TRUE(trash("1"));
    EXPECT_FALSE(fs::exists(run_ / a_.file.text()));
    EXPECT_EQ(findInTrash(run_, a_.file), RunFile("trash/1/traces/a.safetensors"));
    RunSummary summary;
    summary.id = "r";
    const auto use = diskUse(*project_, std::vector{summary});
    EXPECT_EQ(use[0].traces, 300);
    EXPECT_EQ(use[0].trash, 300);
    EXPECT_EQ(use[0].checkpoints, 10);
    ASSERT_EQ(use[0].files.size(), 2U);
    EXPECT_FALSE(isTrashed(use[0].files[0]));
    EXPECT_TRUE(isTrashed(use[0].files[1]));
    EXPECT_EQ(outOfTrash(use[0].files[1]).file, a_.file);
    ASSERT_TRUE(restore("1"));
    EXPECT_EQ(fs::file_size(run_ / a_.file.text()), 300U);
    EXPECT_FALSE(fs::exists(run_ / "trash")) << "nothing of it is left behind";
    EXPECT_EQ(findInTrash(run_, a_.file), std::nullopt);
}

TEST_F(TraceTrash, NeverOverwrites) {
    ASSERT_TRUE(trash("1"));
    fill(run_ / a_.file.text(), 7);  // recorded again
    EXPECT_EQ(restore("1").error().code, "run.trace_exists");
    EXPECT_EQ(trash("1").error().code, "run.trace_exists");
    EXPECT_EQ(fs::file_size(run_ / a_.file.text()), 7U);
    ASSERT_TRUE(trash("2"));
    ASSERT_TRUE(restore("1"));
    EXPECT_EQ(fs::file_size(run_ / a_.file.text()), 300U);
    EXPECT_EQ(restore("9").error().code, "run.trace_gone");
}

TEST_F(TraceTrash, TakesTracesAndNothingElse) {
    const std::vector<TraceFile> two{a_, {"r", "checkpoints/1", 0}},
        away{inTrash(a_, "1"), {"r", "trash/1/traces/1", 0}};
    EXPECT_EQ(moveTraces(*project_, two, away).error().code, "run.not_trace");
    EXPECT_EQ(purgeTraces(*project_, two).error().code, "run.not_trace");
    EXPECT_EQ(purgeTraces(*project_, std::vector<TraceFile>{{"r", {}, 0}}).error().code, "run.not_trace");
    const std::vector<TraceFile> outside{{"../r", "traces/a.safetensors", 0}};
    EXPECT_EQ(purgeTraces(*project_, outside).error().code, "run.not_trace");
    EXPECT_EQ(purgeTraces(*project_, std::vector{a_}).error().code, "run.not_trashed");
    EXPECT_TRUE(fs::exists(run_ / a_.file.text())) << "nothing is moved or deleted then";
}

TEST_F(TraceTrash, EmptyingFreesTheBytesAndForgetsTheEntry) {
    ASSERT_TRUE(trash("1"));
    const std::vector<TraceFile> files{inTrash(a_, "1"), inTrash({"r", "traces/gone.safetensors", 5}, "1")};
    const auto freed = purgeTraces(*project_, files);
    ASSERT_TRUE(freed) << freed.error().text();
    EXPECT_EQ(*freed, 300);
    EXPECT_FALSE(fs::exists(run_ / "trash"));
    const auto left = (*RunReader::open(run_))->traces();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].path, "traces/b.safetensors");
    // One that was recorded again under the same name keeps its entry.
    fill(run_ / "trash/2/traces/b.safetensors", 40);
    EXPECT_EQ(*purgeTraces(*project_, std::vector<TraceFile>{{"r", "trash/2/traces/b.safetensors", 0}}), 40);
    EXPECT_EQ((*RunReader::open(run_))->traces().size(), 1U);
}

/// Its machine has it: without a sign that it was deleted it would be fetched again.
TEST_F(TraceTrash, EmptyingKeepsASignOfTheTracesOfACopy) {
    (*RunWriter::open(run_))->set("machine", "gpu");
    ASSERT_TRUE(trash("1"));
    EXPECT_EQ(*purgeTraces(*project_, std::vector{inTrash(a_, "1")}), 300);
    const auto sign = findInTrash(run_, a_.file);
    ASSERT_TRUE(sign);
    EXPECT_EQ(fs::file_size(run_ / sign->text()), 0U);
    EXPECT_EQ((*RunReader::open(run_))->traces().size(), 2U);
    RunSummary run;
    run.id = "r";
    const auto use = diskUse(*project_, std::vector{run});
    ASSERT_EQ(use[0].files.size(), 1U) << "it is not in the trash for people";
    EXPECT_EQ(use[0].files[0].file, RunFile("traces/b.safetensors"));
    EXPECT_EQ(restore("1").error().code, "run.trace_gone");
}

// A kill in between must not leave an entry without its file.
TEST_F(TraceTrash, NothingGoesBeforeTheRecordSaysSo) {
    ASSERT_TRUE(trash("1"));
    detail::Database(run_ / "run.db", detail::Access::Write).execute("PRAGMA user_version = 99");
    const std::vector<TraceFile> trashed{inTrash(a_, "1")};
    EXPECT_EQ(purgeTraces(*project_, trashed).error().code, "store.newer_version");
    EXPECT_TRUE(fs::exists(run_ / "trash/1/traces/a.safetensors"));
}

}  // namespace
}  // namespace kurve::store
