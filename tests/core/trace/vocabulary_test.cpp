#include "core/trace/vocabulary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/random_stream.h"
#include "core/store/safetensors.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"

namespace kurve::trace {
namespace {

constexpr int kRows = 60, kDims = 8;

/// A checkpoint with a table among other tensors, and a trace that holds some of its rows as latents.
class VocabularyTest : public ::testing::Test {
protected:
    VocabularyTest() {
        RandomStream stream(3, "test.vocabulary");
        for (int i = 0; i < kRows * kDims; ++i) table_.push_back(static_cast<float>(stream.normal()));
        std::vector<std::uint16_t> half;
        for (const float x : table_) half.push_back(store::toHalf(x));
        std::vector<float> other(table_.rbegin(), table_.rend()), square(kDims * kDims, 1.0F);
        const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
        const Result<std::string> written =
            store::writeSafetensors(folder_ / "weights.safetensors",
                                    {{"a.positions", {"F32", {kRows, kDims}, bytes(other)}},
                                     {"b.square", {"F32", {kDims, kDims}, bytes(square)}},
                                     {"c.embedding", {"F16", {kRows, kDims}, bytes(half)}}},
                                    {});
        EXPECT_TRUE(written);
        std::ofstream(folder_ / "vocab.tsv") << "0\t<s>\t0\n17\t▁light\t4\n";
    }
    template <class Latent>
    trace::Trace traceOf(Latent latent) const {
        trace::Trace out;
        std::vector<float> ids, rows;
        for (int id = 1; id < kRows; id += 3) {
            ids.push_back(static_cast<float>(id));
            const std::vector<float> row(table_.begin() + id * kDims, table_.begin() + (id + 1) * kDims);
            const std::vector<float> point = latent(row);
            rows.insert(rows.end(), point.begin(), point.end());
        }
        const auto count = static_cast<std::int64_t>(ids.size());
        out.blocks["vocab/ids"] = {{count}, ids, false};
        out.blocks["vocab/latent"] = {{count, kDims}, rows, false};
        return out;
    }
    [[nodiscard]] VocabularySource source() const {
        return {{folder_ / "missing.safetensors", folder_ / "weights.safetensors"}, folder_ / "vocab.tsv"};
    }

    testing::TemporaryFolder folder_;
    std::vector<float> table_;
};

TEST_F(VocabularyTest, ACheckpointsTableIsFoundByItsNameAndRows) {
    const auto odd = Vocabulary::ofCheckpoint(source());
    ASSERT_FALSE(odd) << "a table of 60 rows for two tokens";
    EXPECT_EQ(odd.error().code, "curve.vocabulary");
    std::ofstream table(folder_ / "vocab.tsv");
    for (int id = 0; id < kRows; ++id) table << id << "\tp" << id << "\t1\n";
    table.close();
    const auto found = Vocabulary::ofCheckpoint(source());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ((*found)->size(), kRows);
    EXPECT_EQ((*found)->token(7), "p7");
    EXPECT_TRUE((*found)->whole());
    for (int i = 0; i < kDims; ++i)
        EXPECT_NEAR((*found)->table().row(7)[static_cast<std::size_t>(i)], table_[7 * kDims + i], 2e-3)
            << "as it is in the checkpoint, whose other tensors are no embeddings";
    EXPECT_FALSE(Vocabulary::ofCheckpoint({{folder_ / "missing.safetensors"}, folder_ / "vocab.tsv"}));
}

std::vector<float> scaled(std::vector<float> row) {
    for (float& x : row) x *= 2.5F;
    return row;
}

/// A layer norm with gains 1, 1.1, … and offsets 0, 0.2, …
std::vector<float> normalised(std::vector<float> row) {
    double mean = 0, square = 0;
    for (const float x : row) mean += x / kDims;
    for (const float x : row) square += (x - mean) * (x - mean) / kDims;
    for (int i = 0; i < kDims; ++i) {
        float& x = row[static_cast<std::size_t>(i)];
        x = static_cast<float>((x - mean) / std::sqrt(square) * (1 + 0.1 * i) + 0.2 * i);
    }
    return row;
}

TEST_F(VocabularyTest, FindsTheTableAndWhatMakesLatentsOfIt) {
    for (const auto latent : {scaled, normalised}) {
        const auto loaded = Vocabulary::load(source(), traceOf(latent));
        ASSERT_TRUE(loaded) << loaded.error().text();
        const Vocabulary& all = **loaded;
        EXPECT_TRUE(all.whole());
        EXPECT_EQ(all.size(), kRows);
        EXPECT_EQ(all.rowOf(59), 59);
        EXPECT_EQ(all.token(17), "▁light");
        EXPECT_EQ(all.token(18), "");
        const std::vector<float> truth =
            latent({table_.begin() + 5 * kDims, table_.begin() + 6 * kDims});  // no recorded row
        for (int i = 0; i < kDims; ++i)
            EXPECT_NEAR(all.table().row(5)[static_cast<std::size_t>(i)], truth[static_cast<std::size_t>(i)],
                        0.02);
    }
}

TEST_F(VocabularyTest, ForeignAndMissingCheckpointsAreRefusedWithTheReason) {
    const auto foreign = Vocabulary::load(source(), traceOf([](std::vector<float> row) {
                                              std::swap(row[0], row[5]);
                                              return row;
                                          }));
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, "curve.vocabulary");
    EXPECT_NE(foreign.error().message.find("not those"), std::string::npos);
    const auto missing = Vocabulary::load({{folder_ / "none"}, {}}, traceOf(scaled));
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("pruned"), std::string::npos);
    std::ofstream(folder_ / "weights.safetensors") << "no weights";
    EXPECT_FALSE(Vocabulary::load(source(), traceOf(scaled)));
}

TEST_F(VocabularyTest, RecordedCandidatesAreTakenAsTheyAre) {
    const trace::Trace trace = traceOf(scaled);
    const auto some = Vocabulary::recorded(trace);
    ASSERT_NE(some, nullptr);
    EXPECT_FALSE(some->whole());
    EXPECT_EQ(some->size(), 20);
    EXPECT_EQ(some->id(1), 4U);
    EXPECT_EQ(some->rowOf(4), 1);
    EXPECT_EQ(some->rowOf(5), -1);
    EXPECT_EQ(Vocabulary::recorded({}), nullptr);
}

// A trace's header is untrusted.
TEST(VocabularySource, StaysInTheProject) {
    const testing::TemporaryFolder folder;
    const auto write = [&](const std::string& file) {
        std::filesystem::create_directories((folder / file).parent_path());
        std::ofstream(folder / file) << "name = \"p\"\n";
    };
    for (const char* file : {"p/project.toml", "p/runs/r/checkpoints/c/weights.safetensors",
                             "p/runs/r/checkpoints/c/ema.safetensors", "victim/weights.safetensors",
                             "victim/checkpoints/c/weights.safetensors", "victim/tokenizer/vocab.tsv",
                             "p/runs/r/tokenizer/vocab.tsv"})
        write(file);
    const auto project = *store::Project::open(folder / "p");
    const auto of = [&](const std::string& run, const std::string& checkpoint) {
        trace::Trace trace;
        trace.meta = {{"run", run}, {"checkpoint", checkpoint}};
        return vocabularySourceOf(project, trace);
    };
    EXPECT_EQ(of("r", "c").weights.size(), 2U);
    EXPECT_EQ(of("r", "c").tokenTable, project.folder() / "runs/r/tokenizer/vocab.tsv");
    for (const char* hostile : {"../../../../victim", "../../../victim", "/victim", "..", ".", "", "a\nb"}) {
        EXPECT_TRUE(of("r", hostile).weights.empty()) << hostile;
        EXPECT_TRUE(of(hostile, "c").weights.empty()) << hostile;
        EXPECT_TRUE(of(hostile, "c").tokenTable.empty()) << hostile;
    }
    std::filesystem::create_directory_symlink(folder / "victim", folder / "p/runs/r/checkpoints/link");
    EXPECT_TRUE(of("r", "link").weights.empty());
    write("p/runs/s/tokenizer/target/vocab.tsv");
    EXPECT_EQ(of("s", "c").tokenTable, project.folder() / "runs/s/tokenizer/target/vocab.tsv");
    std::filesystem::create_directory_symlink(folder / "victim/tokenizer",
                                              folder / "p/runs/s/tokenizer.part");
    std::filesystem::remove_all(folder / "p/runs/s/tokenizer");
    std::filesystem::rename(folder / "p/runs/s/tokenizer.part", folder / "p/runs/s/tokenizer");
    EXPECT_TRUE(of("s", "c").tokenTable.empty()) << "a link";
}

TEST(VocabularySource, ATraceIsReadByItsNameInTheRun) {
    const testing::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "run/traces");
    const trace::Trace trace = test::syntheticTrace({});
    for (const char* file : {"run/traces/own.safetensors", "victim.safetensors"})
        ASSERT_TRUE(writeTrace(folder / file, trace));
    std::filesystem::create_symlink(folder / "victim.safetensors", folder / "run/traces/link.safetensors");
    EXPECT_TRUE(readRunTrace(folder / "run", "traces/own.safetensors"));
    EXPECT_EQ(readRunTrace(folder / "run", "traces/link.safetensors").error().code, "io.link");
    for (const std::string& hostile :
         {std::string("../victim.safetensors"), (folder / "victim.safetensors").string(),
          std::string("traces/../../victim.safetensors"), std::string()})
        EXPECT_EQ(readRunTrace(folder / "run", hostile).error().code, "run.path") << hostile;
}

}  // namespace
}  // namespace kurve::trace
