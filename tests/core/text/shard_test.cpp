// Splits that lie in data/cache: what is damaged is made again, texts come from the corpus's file.
#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/text/dataset.h"
#include "core/text/detail/cache_folder.h"
#include "core/text/detail/shard.h"
#include "core/text/trained_specials.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using detail::CacheFolder;
using detail::CacheWriter;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// A cache folder with the numbers from 1 to `last`.
class Numbers {
public:
    Result<CacheFolder> open(const std::string& key = "key", std::uint32_t last = 3, bool makesFiles = true) {
        return CacheFolder::openOrMake(
            {folder.path() / "cache", makesFiles}, "numbers", key,
            [&](CacheWriter& out) -> Status {
                ++made;
                for (std::uint32_t i = 1; i <= last; ++i) out.array("n.u32").add(i);
                out.facts = {{"last", last}};
                return problem ? Status(*problem) : Status();
            },
            log);
    }
    [[nodiscard]] fs::path file(const std::string& name) const {
        return folder.path() / "cache/numbers" / name;
    }
    ScratchFolder folder;
    std::vector<std::string> log;
    std::optional<Error> problem;
    int made = 0;
};

TEST(CacheFolder, IsMadeOnceForAKey) {
    Numbers numbers;
    ASSERT_TRUE(numbers.open());
    const auto again = numbers.open();
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(numbers.made, 1);
    EXPECT_THAT(again->array<std::uint32_t>("n.u32"), ElementsAre(1, 2, 3));
    EXPECT_EQ(again->facts().at("last"), 3);
    EXPECT_THAT(numbers.log, IsEmpty());
    EXPECT_THAT(numbers.open("other", 2)->array<std::uint32_t>("n.u32"), ElementsAre(1, 2));
    EXPECT_THAT(numbers.log, ElementsAre(HasSubstr("is of another version or of other data")));
}

TEST(CacheFolder, WhatIsDamagedIsMadeAgainAndSaid) {
    Numbers numbers;
    ASSERT_TRUE(numbers.open());
    const auto damage = [&](const std::string& name, const auto& change, const std::string& said) {
        std::string bytes = *readFile(numbers.file(name));
        change(bytes);
        numbers.folder.write("cache/numbers/" + name, bytes);
        numbers.log.clear();
        const int before = numbers.made;
        const auto again = numbers.open();
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(numbers.made, before + 1) << said;
        EXPECT_THAT(again->array<std::uint32_t>("n.u32"), ElementsAre(1, 2, 3));
        EXPECT_THAT(numbers.log, ElementsAre(HasSubstr(said)));
    };
    damage(
        "n.u32", [](std::string& bytes) { bytes.pop_back(); }, "holds 11 bytes, 12 were written");
    damage(
        "n.u32", [](std::string& bytes) { bytes[5] ^= 1; }, "other SHA-256");
    damage(
        "header.json", [](std::string& bytes) { bytes.resize(bytes.size() / 2); }, "is not the header");
    damage(
        "header.json", [](std::string& bytes) { bytes.replace(bytes.find("\"last\""), 6, "\"lost\""); },
        "other SHA-256");
    fs::remove(numbers.file("n.u32"));
    numbers.log.clear();
    EXPECT_THAT(numbers.open()->array<std::uint32_t>("n.u32"), ElementsAre(1, 2, 3));
    EXPECT_THAT(numbers.log, ElementsAre(HasSubstr("No such file")));
}

TEST(CacheFolder, LeavesNothingWhereItMayNotOrCannotWrite) {
    Numbers numbers;
    EXPECT_THAT(numbers.open("key", 4, false)->array<std::uint32_t>("n.u32"), ElementsAre(1, 2, 3, 4));
    EXPECT_FALSE(fs::exists(numbers.folder.path() / "cache"));
    numbers.folder.write("cache", "a file where the folder should be");
    EXPECT_THAT(numbers.open()->array<std::uint32_t>("n.u32"), ElementsAre(1, 2, 3));
    EXPECT_THAT(numbers.log, ElementsAre(HasSubstr("cannot write")));
    fs::remove(numbers.folder.path() / "cache");
    numbers.problem = requestError("data.utf8", "bad");
    EXPECT_EQ(numbers.open().error().code, "data.utf8");
    EXPECT_TRUE(fs::is_empty(numbers.folder.path() / "cache"));
}

TEST(Shard, KeepsLargeVocabulariesInWiderNumbers) {
    for (const std::int32_t vocabulary : {65536, 65537}) {
        Numbers numbers;
        const std::vector<std::int32_t> ids = {0, vocabulary - 1, 2};
        auto folder = CacheFolder::openOrMake(
            {numbers.folder.path(), true}, "ids", "key",
            [&](CacheWriter& out) -> Status {
                detail::ShardWriter shard(out, vocabulary);
                shard.addSequence({});
                shard.addSequence(ids);
                shard.endExample(7);
                return {};
            },
            numbers.log);
        ASSERT_TRUE(folder) << folder.error().text();
        const detail::Shard shard =
            detail::openShard(std::make_shared<const CacheFolder>(std::move(*folder)), vocabulary);
        EXPECT_EQ(fs::exists(numbers.folder.path() / "ids/ids.u16"), vocabulary == 65536);
        EXPECT_THAT(shard.examples, ElementsAre(7));
        const Split split(shard.ids, {});
        EXPECT_EQ(split.target(0), ids);
        EXPECT_TRUE(split.source(0).empty());
        EXPECT_EQ(split.tokens(), 3);
    }
}

class SplitTexts : public testing::Test {
protected:
    SplitTexts() {
        folder_.write("train.tsv",
                      "# notice\none two\teins zwei\n\nthree\tdrei\n\tnichts\nfour\tvier vier vier\n");
    }
    Result<Dataset> prepared(const std::vector<Override>& changes = {}) {
        auto schema = std::make_shared<Schema>();
        schema->family = "toy";
        schema->fields = dataFields();
        const auto lookup = [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
            return std::shared_ptr<const Schema>(schema);
        };
        std::vector<Override> all{
            {"data.train", "train.tsv"}, {"data.valid", "train.tsv"}, {"data.tokenizer.kind", "word"}};
        all.insert(all.end(), changes.begin(), changes.end());
        const auto config = RunConfig::parse("family = \"toy\"\n", "exp.toml", lookup, all);
        return prepareDataset(*config, folder_.path(), {});
    }
    ScratchFolder folder_;
};

TEST_F(SplitTexts, AreReadFromTheCorpus) {
    const auto data = prepared({{"data.max_length", "4"}});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ(data->train.leftOut, 1) << "vier vier vier";
    EXPECT_EQ(data->train.report.emptySides, 2);
    EXPECT_EQ(data->train.report.notices, 1);
    EXPECT_EQ(*data->train.text(1), (Pair{"three", "drei"}));
    EXPECT_THAT(*data->train.texts(0, 9), ElementsAre(Pair{"one two", "eins zwei"}, Pair{"three", "drei"}));
    EXPECT_THAT(*data->train.texts(2, 9), IsEmpty());
}

TEST_F(SplitTexts, OfAChangedCorpusAreAnErrorUntilItIsPreparedAnew) {
    const auto data = prepared();
    ASSERT_TRUE(data) << data.error().text();
    folder_.write("train.tsv", "uno\tdue\n");
    EXPECT_EQ(data->train.text(0).error().code, "data.changed");
    EXPECT_EQ(data->train.target(0).size(), 4U) << "the ids are those that were prepared";
    const auto anew = prepared();
    EXPECT_EQ(*anew->train.text(0), (Pair{"uno", "due"}));
    EXPECT_EQ(anew->train.size(), 1U);
}

TEST_F(SplitTexts, AShardCutShortIsPackedAgain) {
    const auto first = prepared();
    ASSERT_TRUE(first) << first.error().text();
    for (const auto& entry : fs::directory_iterator(folder_.path() / "data/cache"))
        if (fs::exists(entry.path() / "ids.u16")) fs::resize_file(entry.path() / "ids.u16", 3);
    const auto second = prepared();
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_EQ(second->train.target(2), std::vector<std::int32_t>({kBos, 5, 5, 5, kEos}));
    EXPECT_THAT(second->warnings, Contains(HasSubstr("prepared data is made again")));
    EXPECT_THAT(prepared()->warnings, testing::Not(Contains(HasSubstr("made again"))));
}

TEST_F(SplitTexts, ALargeCorpusTrainsItsTokenizerOnASample) {
    std::string large;
    for (int i = 0; i < 30000; ++i)
        large += "number" + std::to_string(i) + "\t" + std::string(50, 'x') + "\n";
    folder_.write("train.tsv", large);  // 1.9 MB
    const auto sampled = prepared({{"data.tokenizer.sample", "1"}, {"data.tokenizer.vocabulary", "100000"}});
    ASSERT_TRUE(sampled) << sampled.error().text();
    EXPECT_EQ(sampled->target->vocabularySize(), kFirstRegularToken + 15000 + 1) << "every second line";
    const auto whole = prepared({{"data.tokenizer.vocabulary", "100000"}});
    EXPECT_EQ(whole->target->vocabularySize(), kFirstRegularToken + 30000 + 1);
    EXPECT_EQ(sampled->train.size(), whole->train.size());
}

}  // namespace
}  // namespace kurve::text
