#include "core/store/safetensors_in_place.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

std::span<const std::byte> bytesOf(const std::array<float, 2>& values) {
    return std::as_bytes(std::span(values));
}

TEST(SafetensorsInPlace, IsReadableFromTheFirstMomentOn) {
    const testing::TemporaryFolder folder;
    auto file = SafetensorsInPlace::create(folder / "a", {{"x", {"F32", {3, 2}, {}}}, {"y", {"U8", {5}, {}}}},
                                           {{"note", R"("rows":"7")"}}, "rows");
    ASSERT_TRUE(file) << file.error().text();
    const auto read = [&] { return *SafetensorsFile::open(folder / "a"); };
    EXPECT_EQ(std::stoi(read()->metadata().at("rows")), 0);
    EXPECT_EQ(read()->find("x")->as<float>()[5], 0);
    const std::array<float, 2> row{1.5F, -2};
    ASSERT_TRUE(file->write("x", 16, bytesOf(row)));
    ASSERT_TRUE(file->setCounter(12));
    EXPECT_EQ(std::stoi(read()->metadata().at("rows")), 12);
    EXPECT_EQ(read()->metadata().at("note"), R"("rows":"7")") << "a text that looks like it stays";
    EXPECT_EQ(read()->find("x")->as<float>()[4], 1.5F);
    EXPECT_EQ(read()->find("x")->as<float>()[5], -2);
    EXPECT_EQ(read()->find("x")->as<float>()[0], 0);
}

TEST(SafetensorsInPlace, APieceOutsideItsTensorIsAContractError) {
    const testing::TemporaryFolder folder;
    auto file = SafetensorsInPlace::create(folder / "a", {{"x", {"F32", {2}, {}}}}, {}, "rows");
    ASSERT_TRUE(file);
    const std::array<float, 2> row{};
    EXPECT_THROW((void)file->write("x", 4, bytesOf(row)), ContractError);
    EXPECT_THROW((void)file->write("y", 0, bytesOf(row)), ContractError);
}

TEST(SafetensorsInPlace, AMissingFolderIsAnError) {
    const testing::TemporaryFolder folder;
    const auto file = SafetensorsInPlace::create(folder / "none" / "a", {}, {}, "rows");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, "io.write");
}

}  // namespace
}  // namespace kurve::store
