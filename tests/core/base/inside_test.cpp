// Folders that somebody else filled: nothing outside them is read, written or deleted.
#include "core/base/inside.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace kurve {
namespace {

namespace fs = std::filesystem;

void fill(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "precious";
}

TEST(Inside, NamesAreOneLevelDeep) {
    for (const char* bad : {"", ".", "..", "/", "a/b", "/etc", "a\nb", "\x7f"}) {
        EXPECT_FALSE(isFileName(bad)) << bad;
        EXPECT_FALSE(isPlainName(bad)) << bad;
    }
    EXPECT_FALSE(isFileName(std::string_view("a\0b", 3)));
    EXPECT_TRUE(isFileName("my run (2)"));
    EXPECT_TRUE(isPlainName("step-00000120.old"));
    for (const char* bad : {".hidden", "a b", "ü", "a;b"}) EXPECT_FALSE(isPlainName(bad)) << bad;
    EXPECT_FALSE(isPlainName(std::string(201, 'a')));
}

TEST(Inside, NothingLeavesTheFolder) {
    const testing::TemporaryFolder outside;
    for (const char* bad : {"", ".", "..", "a/..", "../victim", "/victim", "a/"}) {
        EXPECT_THROW((void)pathInside(outside / "root", bad), ContractError) << bad;
        EXPECT_THROW((void)makeFolderInside(outside / "root", bad), ContractError) << bad;
        EXPECT_THROW((void)removeInside(outside / "root", bad), ContractError) << bad;
    }
}

TEST(Inside, ALinkOnTheWayIsAnErrorAndNothingHappens) {
    const testing::TemporaryFolder folder;
    fill(folder / "victim/file");
    fs::create_directories(folder / "root");
    fs::create_symlink("../victim", folder / "root/link");
    for (const char* inside : {"link", "link/file", "link/new"})
        EXPECT_EQ(pathInside(folder / "root", inside).error().code, "io.link") << inside;
    EXPECT_EQ(makeFolderInside(folder / "root", "link/new").error().code, "io.link");
    EXPECT_EQ(makeFolderInside(folder / "root", "link").error().code, "io.link");
    EXPECT_EQ(removeInside(folder / "root", "link/file").error().code, "io.link");
    EXPECT_TRUE(fs::exists(folder / "victim/file"));
    EXPECT_FALSE(fs::exists(folder / "victim/new"));
}

TEST(Inside, DeletesATreeAndOfLinksOnlyTheLink) {
    const testing::TemporaryFolder folder;
    fill(folder / "victim/file");
    fill(folder / "root/tree/deep/deeper/file");
    fs::create_symlink("../../victim", folder / "root/tree/folder");
    fs::create_symlink("../../../victim/file", folder / "root/tree/deep/file");
    fs::create_symlink("../victim", folder / "root/link");
    ASSERT_TRUE(removeInside(folder / "root", "tree"));
    EXPECT_FALSE(fs::exists(folder / "root/tree"));
    ASSERT_TRUE(removeInside(folder / "root", "link"));
    EXPECT_FALSE(fs::is_symlink(folder / "root/link"));
    EXPECT_TRUE(fs::exists(folder / "victim/file"));
    EXPECT_TRUE(removeInside(folder / "root", "tree/gone")) << "what is not there is deleted";
    EXPECT_TRUE(removeInside(folder / "nowhere", "tree"));
    EXPECT_EQ(*makeFolderInside(folder / "root", "a/b"), folder / "root" / "a/b");
    EXPECT_TRUE(fs::is_directory(folder / "root/a/b"));
}

}  // namespace
}  // namespace kurve
