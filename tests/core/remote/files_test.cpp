#include "core/remote/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/remote/base64.h"
#include "tests/support/temporary_folder.h"

namespace kurve::remote {
namespace {

namespace fs = std::filesystem;

TEST(Base64, IsThatOfRfc4648) {
    const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(toBase64(bytes), text);
        EXPECT_EQ(*fromBase64(text), bytes);
    }
    std::string all;
    for (int i = 0; i < 1000; ++i) all += static_cast<char>(i * 7 % 256);
    EXPECT_EQ(*fromBase64(toBase64(all)), all);
    for (const char* wrong : {"Zg=", "Z", "Zg=?", "\xff\xff\xff\xff"})
        EXPECT_FALSE(fromBase64(wrong)) << wrong;
}

TEST(RemoteFiles, NamesLeadNowhereElse) {
    const testing::TemporaryFolder folder;
    fs::create_directories(folder / "data");
    fs::create_directory_symlink("/etc", folder / "out");
    EXPECT_TRUE(pathBelow(folder.path(), "data/train.tsv"));
    for (const char* wrong : {"", "/etc/passwd", "..", "data/../../x", "data//x", ".ssh/authorized_keys",
                              "data/.x", "./x", "data/", "out/passwd"})
        EXPECT_FALSE(pathBelow(folder.path(), wrong)) << wrong;
}

TEST(RemoteFiles, ListsNothingTemporaryOrLive) {
    const testing::TemporaryFolder folder;
    fs::create_directories(folder / "checkpoints/.step-1.tmp");
    fs::create_directories(folder / "traces");
    for (const char* name :
         {"run.db", "run.db-wal", "run.lock", "BUNDLED", "traces/a.safetensors", "traces/b.safetensors.tmp12",
          "traces/d.safetensors.part", "traces/.c.5.part", "checkpoints/.step-1.tmp/w"})
        std::ofstream(folder / name) << "x";
    fs::create_symlink("/etc/passwd", folder / "traces/link");
    std::vector<std::string> names;
    for (const auto& file : filesBelow(folder.path())) names.push_back(file.path);
    EXPECT_THAT(names, ::testing::ElementsAre("BUNDLED", "traces/a.safetensors"));
}

TEST(RemoteFiles, AFileArrivesWholeOrNotAtAll) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "data/x";
    const std::string hash = sha256("abcdef");
    {
        auto arriving = ArrivingFile::open(file, hash);
        ASSERT_TRUE(arriving);
        EXPECT_EQ(ArrivingFile::open(file, hash).error().code, "remote.busy");
        ASSERT_TRUE(arriving->append("abc"));
    }
    EXPECT_FALSE(fs::exists(file));
    {
        auto arriving = ArrivingFile::open(file, hash);
        ASSERT_TRUE(arriving);
        EXPECT_EQ(arriving->bytes(), 3U) << "what had arrived";
        ASSERT_TRUE(arriving->append("def"));
        ASSERT_TRUE(arriving->finish(hash, 1'700'000'000'000'000'123));
    }
    EXPECT_EQ(*readFile(file), "abcdef");
    EXPECT_EQ(entryOf(folder.path(), "data/x")->modified, 1'700'000'000'000'000'123);
    auto wrong = ArrivingFile::open(file, "2");
    ASSERT_TRUE(wrong->append("abcdeX"));
    EXPECT_EQ(wrong->finish(hash).error().code, "remote.damaged");
    EXPECT_EQ(*readFile(file), "abcdef") << "replaced by a damaged one";
    EXPECT_EQ(ArrivingFile::open(file, "2")->bytes(), 0U) << "damaged bytes are kept";
}

TEST(RemoteFiles, PartsOfOtherVersionsAreDiscardedUnlessTheyAreInUse) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "data/x";
    for (const char* version : {"1", "2"}) ASSERT_TRUE(ArrivingFile::open(file, version)->append("old"));
    ASSERT_TRUE(ArrivingFile::open(folder / "data/x.y", "1")->append("of another file"));
    const auto held = ArrivingFile::open(file, "2");
    ASSERT_TRUE(held);
    auto arriving = ArrivingFile::open(file, "3");
    ASSERT_TRUE(arriving->append("new"));
    ASSERT_TRUE(arriving->finish(sha256("new")));
    arriving->discardOthers(std::chrono::hours(1));
    EXPECT_EQ(ArrivingFile::arrived(file, "1"), 3U) << "it may go on";
    arriving->discardOthers(std::chrono::seconds(0));
    EXPECT_EQ(ArrivingFile::arrived(file, "1"), 0U);
    EXPECT_EQ(ArrivingFile::arrived(file, "2"), 3U);
    EXPECT_GT(ArrivingFile::arrived(folder / "data/x.y", "1"), 0U);
    EXPECT_EQ(*readFile(file), "new");
}

TEST(RemoteFiles, ACopyIsTheSameWhereItsTimeHasFewerDigits) {
    const FileEntry original{"a", 5, 1'700'000'001'234'567'891};
    for (const std::int64_t kept :
         {1'700'000'001'234'567'891, 1'700'000'001'234'567'800, 1'700'000'001'230'000'000,
          1'700'000'001'000'000'000, 1'700'000'000'000'000'000})
        EXPECT_EQ((FileEntry{"a", 5, kept}), original) << kept;
    for (const std::int64_t other :
         {1'700'000'001'234'567'890, 1'700'000'001'234'567'700, 1'700'000'001'220'000'000,
          1'700'000'002'000'000'000, 1'699'999'999'000'000'000})
        EXPECT_FALSE((FileEntry{"a", 5, other} == original)) << other;
    EXPECT_FALSE((FileEntry{"a", 6, original.modified} == original));
}

TEST(RemoteFiles, PartsAreRead) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "x") << "0123456789";
    EXPECT_EQ(*readPart(folder / "x", 3, 4), "3456");
    EXPECT_EQ(*readPart(folder / "x", 8, 4), "89");
    EXPECT_EQ(*readPart(folder / "x", 20, 4), "");
}

}  // namespace
}  // namespace kurve::remote
