// Vectors of sentences in data/cache: what is stored is found again, what is damaged or of another encoder is
// not.
#include <gmock/gmock.h>

#include <fstream>

#include "core/text/sentence_vectors.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

SentenceKey keyOf(std::int32_t id) {
    return sentenceKey(Ids{1, id, 2});
}

struct Store {
    [[nodiscard]] SentenceVectors open(const std::string& madeBy = "encoder", std::int64_t width = 2) {
        return {folder.path() / "vectors", madeBy, width, log};
    }
    /// The sentences of these ids, with vectors (id, id + 100).
    void add(const Ids& ids) {
        std::vector<SentenceKey> keys;
        std::vector<std::uint16_t> values;
        for (const std::int32_t id : ids) {
            keys.push_back(keyOf(id));
            values.push_back(static_cast<std::uint16_t>(id));
            values.push_back(static_cast<std::uint16_t>(id + 100));
        }
        SentenceVectors vectors = open();
        ASSERT_TRUE(vectors.add(keys, values));
    }
    [[nodiscard]] std::vector<fs::path> shards() const {
        std::vector<fs::path> all;
        for (const auto& entry : fs::directory_iterator(folder.path() / "vectors"))
            all.push_back(entry.path());
        return all;
    }
    ScratchFolder folder;
    std::vector<std::string> log;
};

TEST(SentenceVectors, AreFoundByTheirIdsInEveryShard) {
    Store store;
    EXPECT_EQ(store.open().size(), 0U);
    store.add({7, 3, 9, 4});
    store.add({5});
    const SentenceVectors vectors = store.open();
    EXPECT_EQ(vectors.size(), 5U);
    for (const std::uint16_t id : {3, 4, 5, 7, 9})
        EXPECT_THAT(vectors.find(keyOf(id)), ElementsAre(id, id + 100));
    EXPECT_THAT(vectors.find(keyOf(6)), IsEmpty());
    EXPECT_THAT(vectors.find(sentenceKey(Ids{1, 7})), IsEmpty()) << "a sentence's beginning is another one";
    EXPECT_THAT(store.log, IsEmpty());
}

TEST(SentenceVectors, WhatIsAddedIsThereAtOnce) {
    Store store;
    SentenceVectors vectors = store.open();
    const SentenceKey keys[] = {keyOf(8)};
    const std::uint16_t values[] = {1, 2};
    ASSERT_TRUE(vectors.add(keys, values));
    EXPECT_THAT(vectors.find(keyOf(8)), ElementsAre(1, 2));
}

TEST(SentenceVectors, OthersAndDamagedOnesAreNotUsed) {
    Store store;
    store.add({3, 4});
    store.add({5});
    ASSERT_EQ(store.shards().size(), 2U);
    std::fstream file(store.shards()[0] / "vector.f16", std::ios::in | std::ios::out | std::ios::binary);
    file.put('x');
    file.close();
    const std::size_t left = store.open().size();
    EXPECT_THAT(store.log, ElementsAre(HasSubstr("other SHA-256")));
    EXPECT_TRUE(left == 1 || left == 2) << left;
    EXPECT_LT(left, 3U);
    EXPECT_EQ(store.shards().size(), 1U) << "it is computed again";
    store.log.clear();
    EXPECT_EQ(store.open("another encoder").size(), 0U);
    EXPECT_THAT(store.log, ElementsAre(EndsWith("of other data")));
}

TEST(SentenceVectors, OfAnotherWidthAreNotUsed) {
    Store store;
    store.add({3});
    EXPECT_EQ(store.open("encoder", 3).size(), 0U);
    EXPECT_THAT(store.log, ElementsAre(EndsWith("has vectors of another width")));
}

TEST(SentenceVectors, OnlyShardsAreDeleted) {
    Store store;
    fs::create_directories(store.folder.path() / "vectors" / "precious");
    store.add({3});
    for (const fs::path& one : store.shards())
        if (one.filename() != "precious") fs::permissions(one / "key.u64", fs::perms::none);
    (void)store.open();
    EXPECT_EQ(store.shards().size(), 2U) << "what cannot be read is not damaged";
    store.log.clear();
    (void)store.open("another encoder");
    EXPECT_THAT(store.log, ElementsAre(EndsWith("of other data")));
    EXPECT_THAT(store.shards(), ElementsAre(store.folder.path() / "vectors" / "precious"));
}

TEST(SentenceVectors, AFolderThatIsALinkIsLeftAlone) {
    Store store;
    fs::create_directories(store.folder.path() / "target" / "0123456789abcdef");
    std::ofstream(store.folder.path() / "target" / "0123456789abcdef" / "header.json") << "{}";
    fs::create_directory_symlink("target", store.folder.path() / "vectors");
    store.add({3});
    EXPECT_THAT(store.log, ElementsAre(HasSubstr("is a link")));
    EXPECT_THAT(store.shards(), ElementsAre(EndsWith("0123456789abcdef")));
    EXPECT_EQ(store.open().size(), 0U) << "nothing was written through it";
}

TEST(SentenceVectors, WithoutAFolderNothingIsKept) {
    std::vector<std::string> log;
    SentenceVectors vectors({}, "encoder", 1, log);
    const SentenceKey keys[] = {keyOf(8)};
    const std::uint16_t values[] = {1};
    ASSERT_TRUE(vectors.add(keys, values));
    EXPECT_THAT(vectors.find(keyOf(8)), IsEmpty());
}

}  // namespace
}  // namespace kurve::text
