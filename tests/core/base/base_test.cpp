#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "tests/support/temporary_folder.h"

namespace kurve {
namespace {

TEST(Counted, OneIsSingular) {
    EXPECT_EQ(counted(1, "step"), "1 step");
    EXPECT_EQ(counted(std::size_t{0}, "step"), "0 steps");
    EXPECT_EQ(counted(1.0, "second"), "1 second");
    EXPECT_EQ(counted(0.5, "second"), "0.5 seconds");
    EXPECT_EQ(counted(60.0, "second"), "60 seconds");
}

TEST(Error, TextLeavesOutWhatIsEmpty) {
    EXPECT_EQ(requestError("a.b", "is wrong").text(), "is wrong");
    EXPECT_EQ(requestError("a.b", "is wrong").in("f.toml", 3).at("model.x").fix("say 4").text(),
              "f.toml:3: model.x: is wrong; say 4");
    EXPECT_EQ(requestError("a.b", "x").exitCode(), 2);
    EXPECT_EQ(workError("a.b", "x").exitCode(), 1);
}

TEST(Hash, KnownAnswer) {
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(File, AtomicWriteReplacesAndNamesTheCause) {
    const auto folder = std::filesystem::temp_directory_path() / "kurve_file_test";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(writeFileAtomically(folder / "a", "one"));
    ASSERT_TRUE(writeFileAtomically(folder / "a", "two"));
    EXPECT_EQ(*readFile(folder / "a"), "two");
    const auto missing = writeFileAtomically(folder / "no" / "such" / "b", "x");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "io.write");
    EXPECT_EQ(readFile(folder).error().code, "io.open");
    std::filesystem::remove_all(folder);
}

// To open a pipe waits for a writer, to read a device never ends.
TEST(File, OnlyRegularFilesOfTheSizeOfTheirKindAreRead) {
    const testing::TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", folder / "zero");
    std::filesystem::create_symlink("/dev/tty", folder / "tty");
    for (const char* name : {"pipe", "zero", "tty", "missing"}) {
        EXPECT_EQ(readFile(folder / name).error().code, "io.open") << name;
        EXPECT_EQ(sha256File(folder / name).error().code, "io.open") << name;
    }
    ASSERT_TRUE(writeFileAtomically(folder / "a", "12345"));
    EXPECT_EQ(*readFile(folder / "a", 5), "12345");
    EXPECT_EQ(readFile(folder / "a", 4).error().code, "io.too_large");
    std::filesystem::create_symlink("a", folder / "link");
    EXPECT_EQ(*readFile(folder / "link"), "12345");
    std::filesystem::resize_file(folder / "a", std::uintmax_t{1} << 40);
    EXPECT_EQ(readFile(folder / "a", kCorpusBytes).error().code, "io.too_large");
    EXPECT_EQ(readFile("/proc/self/stat")->substr(0, 1).find_first_of("123456789"), 0U)
        << "says that it is empty";
}

TEST(Text, Utf8) {
    EXPECT_FALSE(firstInvalidUtf8("aé→λ中b𝄞"));
    EXPECT_EQ(firstInvalidUtf8("ab\xff").value(), 2u);
    EXPECT_EQ(firstInvalidUtf8("\xC0\xAF").value(), 0u);       // overlong
    EXPECT_EQ(firstInvalidUtf8("x\xED\xA0\x80").value(), 1u);  // surrogate
    EXPECT_EQ(firstInvalidUtf8("\xE2\x82").value(), 0u);       // cut off
    const std::string text = "aé→𝄞";
    EXPECT_EQ(codePoints(text).size(), 4u);
    EXPECT_EQ(toUtf8(codePoints(text)), text);
}

TEST(Text, NearestWordSuggestsOnlyMisspellings) {
    const std::vector<std::string> keys{"model.hidden", "model.heads", "train.steps"};
    EXPECT_EQ(nearestWord("model.hiden", keys).value(), "model.hidden");
    EXPECT_FALSE(nearestWord("zzzzzz", keys));
}

}  // namespace
}  // namespace kurve
