#include "core/store/run_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

#include "core/base/clock.h"
#include "core/store/project.h"
#include "core/store/run_check.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/support/run_dump.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

class RunMirrorTest : public ::testing::Test {
protected:
    [[nodiscard]] fs::path there() const { return folder_ / "there"; }
    [[nodiscard]] fs::path here() const { return folder_ / "here"; }
    /// One exchange as between the machines; true if all is there.
    bool exchange(RunMirror& mirror, const std::map<std::string, std::string>& own) {
        const auto cursor = mirror.cursor();
        EXPECT_TRUE(cursor);
        const auto changes = runChanges(there(), *cursor);
        EXPECT_TRUE(changes) << changes.error().text();
        EXPECT_TRUE(mirror.apply(*changes, own));
        bytes_ += changes->database.size();
        return changes->complete;
    }
    void catchUp(RunMirror& mirror, const std::map<std::string, std::string>& own = {}) {
        while (!exchange(mirror, own)) continue;
    }

    testing::TemporaryFolder folder_;
    std::size_t bytes_ = 0;
};

/// What a training does, in random order.
void writeSomething(RunWriter& writer, std::mt19937& random, std::int64_t& step) {
    const auto number = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    switch (number(9)) {
        case 0:
            return writer.event(step, "mark", "\xff not UTF-8 \n " + std::to_string(step));
        case 1:
            return writer.sample({step, number(3), "a", std::string(number(2000), 'x'), "", NAN, {}});
        case 2:
            return writer.checkpoint({step, RunFile("checkpoints/step-" + std::to_string(number(5))), "ab",
                                      number(2) ? NAN : 1.5, 10, number(2) == 1});
        case 3:
            return writer.removeCheckpoint(RunFile("checkpoints/step-" + std::to_string(number(5))));
        case 4:
            return writer.trace({step, 0, RunFile("traces/t-" + std::to_string(step)), "text", "cd", 7});
        case 5:
            return writer.beginSegment(std::max<std::int64_t>(0, step - number(30)), "resumed");
        case 6:
            writer.histogram("h", step, {{"edges", {1, 2}}});
            return writer.log(step, "info", "line");
        default:
            const int count = number(700);
            for (int i = 0; i < count; ++i, ++step) {
                writer.scalar("loss", step, 1.7e9 + static_cast<double>(step), number(50) ? 0.1 * i : NAN);
                if (number(3) == 0)
                    writer.scalar("metric " + std::to_string(number(4)), step, 1.7e9, INFINITY);
            }
            return writer.heartbeat(step);
    }
}

TEST_F(RunMirrorTest, HasEveryRowWhenverItLooks) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
        fs::remove_all(there());
        fs::remove_all(here());
        std::mt19937 random(seed);
        auto writer = RunWriter::open(there());
        ASSERT_TRUE(writer);
        (*writer)->set("config", "family = \"x\"");
        (*writer)->beginSegment(0, "new");
        auto mirror = RunMirror::open(here(), "gpu");
        ASSERT_TRUE(mirror) << mirror.error().text();
        std::int64_t step = 0;
        for (int i = 0; i < 60; ++i) {
            writeSomething(**writer, random, step);
            if (random() % 4 != 0) continue;
            ASSERT_TRUE((*writer)->flush());
            if (random() % 3 == 0) {  // the process that follows was killed
                mirror->reset();
                mirror = RunMirror::open(here(), "gpu");
                ASSERT_TRUE(mirror);
            }
            catchUp(**mirror);
            ASSERT_EQ(testing::dumpedRun(here()), testing::dumpedRun(there()))
                << "seed " << seed << ", after " << i;
        }
        writer->reset();
        catchUp(**mirror);
        EXPECT_EQ(testing::dumpedRun(here()), testing::dumpedRun(there()));
        EXPECT_THAT(*runProblems(here()), IsEmpty()) << "not what a run.db is";
        EXPECT_FALSE(*(*mirror)->dropOthers(*runDigests(there()))) << "equal tables called different";
    }
}

TEST_F(RunMirrorTest, LongCurvesComeInPartsWithoutGaps) {
    {
        const auto writer = RunWriter::open(there());
        (*writer)->beginSegment(0, "new");
        for (std::int64_t step = 0; step < 300'000; ++step)
            (*writer)->scalar("loss", step, 1.7e9, 1.0 / static_cast<double>(step + 1));
        ASSERT_TRUE((*writer)->flush());
    }
    const auto mirror = RunMirror::open(here(), "gpu");
    int parts = 1;
    for (; !exchange(**mirror, {}); ++parts) {
        const auto reader = RunReader::open(here());
        const Series loss = (*reader)->attempt("loss", 1);
        for (std::size_t i = 0; i < loss.size(); ++i) ASSERT_EQ(loss.step[i], static_cast<std::int64_t>(i));
    }
    EXPECT_GT(parts, 2) << "300,000 points of 24 bytes in answers of at most 4 MB";
    EXPECT_EQ(testing::dumpedRun(here()), testing::dumpedRun(there()));
}

TEST_F(RunMirrorTest, NothingNewCostsNothing) {
    const auto writer = RunWriter::open(there());
    (*writer)->beginSegment(0, "new");
    for (std::int64_t step = 0; step < 3000; ++step) (*writer)->scalar("loss", step, 1.7e9, 1);
    ASSERT_TRUE((*writer)->flush());
    const auto mirror = RunMirror::open(here(), "gpu");
    catchUp(**mirror);
    bytes_ = 0;
    catchUp(**mirror);
    EXPECT_EQ(bytes_, 0U);
    (*writer)->scalar("loss", 3000, 1.7e9, 2);
    ASSERT_TRUE((*writer)->flush());
    catchUp(**mirror);
    EXPECT_LT(bytes_, 4000U) << "one point and the row of its metric";
}

TEST_F(RunMirrorTest, KeepsTracesOfItsOwn) {
    const auto writer = RunWriter::open(there());
    (*writer)->beginSegment(0, "new");
    const auto mirror = RunMirror::open(here(), "gpu");
    ASSERT_TRUE((*writer)->flush());
    catchUp(**mirror);
    fs::create_directories(here() / "traces");
    std::ofstream(here() / "traces/mine") << "x";
    ASSERT_TRUE(RunWriter::addTrace(here(), {1, -1, RunFile("traces/mine"), "t", "ab", 1}));
    (*writer)->trace({2, 0, RunFile("traces/theirs"), "t", "cd", 1});
    ASSERT_TRUE((*writer)->flush());
    catchUp(**mirror);
    std::vector<std::string> names;
    const auto reader = RunReader::open(here());
    for (const auto& row : (*reader)->traces()) names.push_back(row.path.name());
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("mine", "theirs"));
}

TEST_F(RunMirrorTest, RepairsWhatDiffers) {
    auto writer = RunWriter::open(there());
    (*writer)->beginSegment(0, "new");
    for (int i = 0; i < 5; ++i) (*writer)->event(i, "mark", "text");
    ASSERT_TRUE((*writer)->flush());
    const auto mirror = RunMirror::open(here(), "gpu");
    catchUp(**mirror);
    std::system(
        ("sqlite3 '" + (here() / "run.db").string() + "' \"DELETE FROM events WHERE id = 2\"").c_str());
    catchUp(**mirror);
    EXPECT_NE(testing::dumpedRun(here()), testing::dumpedRun(there()));
    EXPECT_TRUE(*(*mirror)->dropOthers(*runDigests(there())));
    catchUp(**mirror);
    EXPECT_EQ(testing::dumpedRun(here()), testing::dumpedRun(there()));
}

/// `kurve follow ID --machine M` where a run of this project, or of another machine, has that id.
TEST_F(RunMirrorTest, AnotherRunIsNotReplaced) {
    {
        const auto writer = RunWriter::open(here());
        (*writer)->set("state", "completed");
        (*writer)->beginSegment(0, "new");
    }
    const std::string before = testing::dumpedRun(here());
    const auto own = RunMirror::open(here(), "gpu");
    ASSERT_FALSE(own);
    EXPECT_EQ(own.error().code, "run.exists");
    EXPECT_THAT(own.error().remedy, ::testing::HasSubstr("move"));
    EXPECT_EQ(testing::dumpedRun(here()), before);
    { ASSERT_TRUE((*RunMirror::open(there(), "gpu"))->apply({}, {{"state", "running"}})); }
    EXPECT_EQ(checkMirrorOf(there(), "other").error().code, "run.exists");
    EXPECT_TRUE(RunMirror::open(there(), "gpu"));
}

TEST_F(RunMirrorTest, StaysACopyUntilItIsTrainedHere) {
    { ASSERT_TRUE((*RunMirror::open(here(), "gpu"))->apply({}, {{"state", "completed"}})); }
    const auto machine = [&] {
        const auto values = (*RunReader::open(here()))->values();
        return values.contains(kMachineKey) ? values.at(kMachineKey) : "";
    };
    const auto writer = RunWriter::open(here());
    (*writer)->pinCheckpoint(RunFile("checkpoints/step-1"), true);
    ASSERT_TRUE((*writer)->flush());
    EXPECT_EQ(machine(), "gpu");
    (*writer)->beginSegment(5, "resumed");
    ASSERT_TRUE((*writer)->flush());
    EXPECT_EQ(machine(), "");
}

TEST_F(RunMirrorTest, NoticesThatItsFolderWasRemoved) {
    const auto mirror = RunMirror::open(here(), "gpu");
    ASSERT_TRUE((*mirror)->apply({}, {{"state", "running"}}));
    fs::remove_all(here());
    const Status lost = (*mirror)->apply({}, {{"state", "running"}});
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, "store.gone");
    EXPECT_FALSE(fs::exists(here()));
    { ASSERT_TRUE(RunMirror::open(here(), "gpu")); }
    EXPECT_EQ((*mirror)->apply({}, {}).error().code, "store.gone") << "another run.db";
}

/// What a reader that ended badly or is still there left in the log.
TEST_F(RunMirrorTest, ASnapshotHasWhatIsStillInTheLog) {
    const auto writer = RunWriter::open(there());
    (*writer)->beginSegment(0, "new");
    for (std::int64_t step = 0; step < 100; ++step) (*writer)->scalar("loss", step, 1.7e9, 1);
    ASSERT_TRUE((*writer)->flush());
    ASSERT_GT(fs::file_size(there() / "run.db-wal"), 0U);
    const auto bytes = runSnapshot(there());
    ASSERT_TRUE(bytes);
    fs::create_directories(here());
    std::ofstream(here() / "run.db") << *bytes;
    EXPECT_EQ(testing::dumpedRun(here()), testing::dumpedRun(there()));
    EXPECT_FALSE(fs::exists(here() / "run.db-wal")) << "a file that rests";
}

TEST_F(RunMirrorTest, RowsOfAnythingElseAreRefused) {
    const auto mirror = RunMirror::open(here(), "gpu");
    for (const std::string& bytes :
         {std::string("no database"), std::string(4096, '\0'), std::string(700, 'x')})
        EXPECT_FALSE((*mirror)->apply({bytes, {}, true}, {})) << bytes.substr(0, 20);
    EXPECT_TRUE((*mirror)->dropOthers({{"events", 3}, {"run", nullptr}}));
    EXPECT_TRUE(runChanges(here(), {{"events", "x"}, {"scalars", 3}, {"run", nullptr}}));
    EXPECT_EQ(runChanges(there(), nullptr).error().code, "store.missing");
}

using Values = std::map<std::string, std::string>;

/// The state, as the index has it, of a run whose mirror was written last with what `change` makes of
/// following().
RunSummary summaryOf(const fs::path& project, const fs::path& run,
                     const std::function<void(Values&)>& change) {
    {
        const auto mirror = RunMirror::open(run, "gpu");
        Values own = (*mirror)->following();
        change(own);
        own["state"] = own.contains("state") ? own["state"] : "running";
        own["started"] = "1700000000";
        EXPECT_TRUE((*mirror)->apply({}, own));
    }
    const auto index = ProjectIndex::open(*Project::open(project));
    EXPECT_TRUE((*index)->refresh());
    return (*index)->runs()->front();
}

TEST_F(RunMirrorTest, StateFollowsFromTheContact) {
    std::ofstream(folder_ / "project.toml") << "name = \"p\"\n";
    const fs::path run = folder_ / "runs" / "r";
    const auto summary = [&](const std::function<void(Values&)>& change) {
        return summaryOf(folder_.path(), run, change);
    };
    const RunSummary followed = summary([](Values&) {});
    EXPECT_EQ(followed.state, "running") << followed.reason;
    EXPECT_EQ(followed.machine, "gpu");
    EXPECT_EQ(summary([](Values& own) { own["heartbeat_wall"] = std::to_string(wallSeconds() - 60); }).state,
              "lost_contact")
        << "the line is broken";
    const RunSummary gone = summary([](Values& own) { own["pid_started"] = "1"; });
    EXPECT_EQ(gone.state, "lost_contact") << "the training may go on";
    EXPECT_THAT(gone.reason, ::testing::HasSubstr("kurve follow r"));
    EXPECT_EQ(summary([](Values& own) { own = {{"state", "crashed"}}; }).state, "crashed");
    EXPECT_EQ(summary([](Values& own) { own = {{"state", "completed"}}; }).state, "completed");
}

}  // namespace
}  // namespace kurve::store
