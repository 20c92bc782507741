#include "core/train/checkpoint_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/store/run_reader.h"
#include "tests/core/train/echo_family.h"
#include "tests/support/temporary_folder.h"

namespace kurve::train {
namespace {

using namespace testing;
using kurve::testing::TemporaryFolder;
using ::testing::ElementsAre;

/// A run folder whose checkpoints hold real weights; saved as a session does, without the training between.
class CheckpointManagerTest : public ::testing::Test {
protected:
    void begin(const std::string& last, const std::string& best, const std::string& metric = "valid_bleu") {
        end();
        config_ = echoConfig(
            {{"checkpoint.keep_last", last}, {"checkpoint.keep_best", best}, {"checkpoint.metric", metric}});
        writer_ = std::move(*store::RunWriter::open(folder_.path()));
        std::vector<std::unique_ptr<SequenceModel>> models;
        models.push_back(*EchoFamily().create(config_, {echoShape(), c10::kCPU}));
        trainer_ = std::make_unique<Trainer>(std::move(models), config_, c10::kCPU);
        checkpoints_ = std::make_unique<CheckpointManager>(folder_.path(), *writer_, config_, recorded());
    }
    void end() {
        checkpoints_.reset();
        writer_.reset();
    }
    void save(std::int64_t step, double metric) {
        TrainingState state;
        state.step = step;
        state.metric = metric;
        state.config = config_.canonicalText();
        const auto row = checkpoints_->save(*trainer_, state);
        ASSERT_TRUE(row) << row.error().text();
        EXPECT_TRUE(std::filesystem::exists(folder_.path() / row->path.text()))
            << "the newest one always stays";
    }
    [[nodiscard]] std::vector<store::CheckpointRow> recorded() const {
        const auto reader = store::RunReader::open(folder_.path());
        return reader ? (*reader)->checkpoints() : std::vector<store::CheckpointRow>();
    }
    /// Steps of the folders that lie there; the record must name the same.
    [[nodiscard]] std::vector<std::int64_t> present() const {
        EXPECT_TRUE(writer_->flush());
        std::vector<std::int64_t> folders, rows;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "checkpoints")) {
            const auto state = readCheckpoint(entry.path());
            EXPECT_TRUE(state) << entry.path();
            folders.push_back(state->step);
        }
        std::sort(folders.begin(), folders.end());
        for (const auto& row : recorded()) rows.push_back(row.step);
        EXPECT_EQ(folders, rows);
        return folders;
    }

    TemporaryFolder folder_;
    RunConfig config_;
    std::unique_ptr<store::RunWriter> writer_;
    std::unique_ptr<Trainer> trainer_;
    std::unique_ptr<CheckpointManager> checkpoints_;
};

TEST_F(CheckpointManagerTest, TheNewestTheBestAndThePinnedAreRetained) {
    begin("2", "1");
    const double bleu[] = {1, 5, 3, 2, 4, NAN};
    for (int i = 0; i < 6; ++i) {
        save(10 * (i + 1), bleu[i]);
        if (i == 0) ASSERT_TRUE(checkpoints_->pin(10, true));
    }
    EXPECT_THAT(present(), ElementsAre(10, 20, 50, 60));
    ASSERT_TRUE(checkpoints_->pin(10, false));
    EXPECT_THAT(present(), ElementsAre(10, 20, 50, 60)) << "until the next one is saved";
    save(70, 4.5);
    EXPECT_THAT(present(), ElementsAre(20, 60, 70));
    const auto missing = checkpoints_->pin(10, true);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "checkpoint.missing");
    EXPECT_EQ(missing.error().remedy, "there are 20, 60, 70");
}

TEST_F(CheckpointManagerTest, SeveralBestByLossAndOfEqualOnesTheOlder) {
    begin("1", "3", "valid_loss");
    const double loss[] = {5, 2, 2, 4, 2, 9};
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(checkpoints_->wouldBeRetained(loss[i]), i < 5) << i;  // 9 is worse than the three there
        save(i + 1, loss[i]);
        if (i == 2) EXPECT_TRUE(checkpoints_->wouldBeRetained(3));
    }
    EXPECT_THAT(present(), ElementsAre(2, 3, 5, 6));
    EXPECT_FALSE(checkpoints_->wouldBeRetained(2)) << "as good is not better";
    EXPECT_FALSE(checkpoints_->wouldBeRetained(NAN));
}

TEST_F(CheckpointManagerTest, MayRetainNoBest) {
    begin("3", "0");
    for (int i = 1; i <= 5; ++i) save(i, 10.0 - i);
    EXPECT_THAT(present(), ElementsAre(3, 4, 5));
    EXPECT_FALSE(checkpoints_->wouldBeRetained(100));
}

TEST_F(CheckpointManagerTest, AResumedRunRetainsItsCheckpoints) {
    begin("2", "1");
    save(1, 7);
    save(2, 1);
    ASSERT_TRUE(checkpoints_->pin(2, true));
    save(3, 2);
    begin("2", "1");
    EXPECT_THAT(present(), ElementsAre(1, 2, 3));
    save(4, 3);
    save(5, 6);
    EXPECT_THAT(present(), ElementsAre(1, 2, 4, 5));
    save(6, 8);
    EXPECT_THAT(present(), ElementsAre(2, 5, 6));
}

// A kill between a checkpoint and its entry must not leave an entry without its checkpoint: where the entry
// cannot be taken out, nothing goes.
TEST_F(CheckpointManagerTest, NothingIsRemovedBeforeTheRecord) {
    begin("3", "0");
    for (const int step : {1, 2, 3}) save(step, NAN);
    std::filesystem::rename(folder_ / "run.db", folder_ / "away.db");
    EXPECT_FALSE(checkpoints_->keepWeightsOnly());
    for (const int step : {1, 2, 3}) {
        const auto state = readCheckpoint(folder_ / ("checkpoints/" + checkpointName(step)));
        ASSERT_TRUE(state) << step;
        EXPECT_TRUE(state->optimizer) << step;
    }
}

// Resumed at 10 after it had reached 40: the new attempt's checkpoints are the newest, whatever their step.
TEST_F(CheckpointManagerTest, AnAbandonedAttemptIsPrunedFirst) {
    begin("2", "0");
    for (const int step : {10, 20, 30, 40}) save(step, NAN);
    EXPECT_THAT(present(), ElementsAre(30, 40));
    begin("2", "0");
    save(12, NAN);
    EXPECT_THAT(present(), ElementsAre(12, 40));
    EXPECT_EQ(presentCheckpoints(folder_.path(), recorded()).back().step, 12);
    save(14, NAN);
    EXPECT_THAT(present(), ElementsAre(12, 14));
    ASSERT_TRUE(checkpoints_->pin(12, true));
    begin("2", "0");
    save(12, NAN);  // again: replaced, and pinned as before
    EXPECT_EQ(checkpoints_->rows().back().step, 12);
    for (const int step : {20, 30, 40}) save(step, NAN);
    EXPECT_THAT(present(), ElementsAre(12, 30, 40));
}

TEST_F(CheckpointManagerTest, DeletedFoldersAreDroppedAndUnrecordedOnesAdded) {
    begin("1", "1");
    save(1, 9);
    save(2, 3);
    save(3, 1);
    EXPECT_THAT(present(), ElementsAre(1, 3));
    std::filesystem::remove_all(folder_ / "checkpoints/step-00000001");
    writer_->removeCheckpoint("checkpoints/step-00000003");  // as if killed before it was recorded
    begin("1", "1");
    EXPECT_THAT(present(), ElementsAre(3));
    EXPECT_EQ(recorded().front().metric, 1);
    EXPECT_FALSE(recorded().front().sha256.empty());
    EXPECT_GT(recorded().front().bytes, 0);
    save(4, 0.5);
    EXPECT_THAT(present(), ElementsAre(3, 4));
}

// Killed between the record and the removal, or fetched from a machine that has pruned it since.
TEST_F(CheckpointManagerTest, APrunedOneThatIsStillOnDiskIsTheOldest) {
    begin("2", "0");
    for (const int step : {40, 12}) save(step, NAN);
    const auto pruned = folder_ / "checkpoints/step-00000040", aside = folder_ / "aside";
    std::filesystem::last_write_time(pruned / "state.json",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    std::filesystem::rename(pruned, aside);
    save(14, NAN);
    std::filesystem::rename(aside, pruned);
    const auto stepsOf = [](const std::vector<store::CheckpointRow>& rows) {
        std::vector<std::int64_t> steps;
        for (const auto& row : rows) steps.push_back(row.step);
        return steps;
    };
    EXPECT_THAT(stepsOf(presentCheckpoints(folder_.path(), recorded())), ElementsAre(40, 12, 14));
    writer_->removeCheckpoint("checkpoints/step-00000014");  // as if killed before it was recorded
    ASSERT_TRUE(writer_->flush());
    EXPECT_THAT(stepsOf(presentCheckpoints(folder_.path(), recorded())), ElementsAre(40, 12, 14));
    begin("2", "0");
    EXPECT_THAT(present(), ElementsAre(12, 14, 40));
    EXPECT_THAT(stepsOf(presentCheckpoints(folder_.path(), recorded())), ElementsAre(40, 12, 14))
        << "the record has their order, too";
    save(16, NAN);
    EXPECT_THAT(present(), ElementsAre(14, 16));
}

TEST_F(CheckpointManagerTest, KeepingWeightsOnlyKeepsThePinnedAndTheOrder) {
    begin("3", "0");
    for (const int step : {1, 2, 3}) save(step, NAN);
    ASSERT_TRUE(checkpoints_->pin(1, true));
    begin("3", "0");
    save(2, NAN);  // newer than 3
    ASSERT_TRUE(checkpoints_->keepWeightsOnly());
    EXPECT_THAT(present(), ElementsAre(1, 2));
    EXPECT_EQ(presentCheckpoints(folder_.path(), recorded()).back().step, 2);
    EXPECT_TRUE(recorded().front().pinned);
}

TEST(RetentionPolicy, GivesTheReasons) {
    std::vector<store::CheckpointRow> rows(3);
    rows[0].metric = 5;
    rows[1].metric = NAN;
    rows[1].pinned = true;
    rows[2].metric = 4;
    const auto reasons = RetentionPolicy{1, 1, true}.reasonsFor(rows);
    EXPECT_TRUE(reasons[0].best && !reasons[0].newest && !reasons[0].pinned);
    EXPECT_TRUE(reasons[1].pinned && !reasons[1].best);
    EXPECT_TRUE(reasons[2].newest && !reasons[2].best);
}

}  // namespace
}  // namespace kurve::train
