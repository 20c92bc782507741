#include "core/store/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

std::string file(std::uint64_t length, const std::string& header, const std::string& data) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + header + data;
}
std::string file(const std::string& header, const std::string& data = "") {
    return file(header.size(), header, data);
}
Result<std::shared_ptr<const SafetensorsFile>> parse(const std::string& bytes) {
    return SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "manual.safetensors");
}
std::string codeOf(const std::string& bytes) {
    const auto parsed = parse(bytes);
    return parsed ? "ok" : parsed.error().code;
}
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
    return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
           offsets + "}";
}

TEST(Safetensors, ReadsManuallyMadeBytes) {
    const float values[] = {1.5f, -2.0f};
    const std::string data(reinterpret_cast<const char*>(values), 8);
    const std::string bytes =
        file("{" + tensor("a", "F32", "[2,1]", "[0,8]") + R"(,"__metadata__":{"k":"v"}})", data);
    const auto parsed = parse(bytes);
    ASSERT_TRUE(parsed) << parsed.error().text();
    const TensorView* a = (*parsed)->find("a");
    ASSERT_TRUE(a);
    EXPECT_EQ(a->shape, (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(a->elements(), 2);
    EXPECT_EQ(a->as<float>()[1], -2.0f);  // the header's odd length leaves the data unaligned in the file
    EXPECT_EQ((*parsed)->metadata().at("k"), "v");
    EXPECT_EQ((*parsed)->find("b"), nullptr);
    EXPECT_THROW((void)a->as<double>(), ContractError);
}

TEST(Safetensors, NamesEveryInconsistency) {
    const std::string eight(8, 'x');
    EXPECT_EQ(codeOf(""), "safetensors.truncated");
    EXPECT_EQ(codeOf("1234567"), "safetensors.truncated");
    EXPECT_EQ(codeOf(file(std::uint64_t{1} << 63, "{}", "")), "safetensors.truncated");
    EXPECT_EQ(codeOf(file(UINT64_MAX, "{}", "")), "safetensors.truncated");
    EXPECT_EQ(codeOf(file(3, "{}", "")), "safetensors.truncated");
    EXPECT_EQ(codeOf(file(0, "", "")), "safetensors.header");
    EXPECT_EQ(codeOf(file("{")), "safetensors.header");
    EXPECT_EQ(codeOf(file("[]")), "safetensors.header");
    EXPECT_EQ(codeOf(file("{\"\xff\":1}")), "safetensors.header");
    EXPECT_EQ(codeOf(file(std::string(1000000, '['))), "safetensors.header");
    EXPECT_EQ(codeOf(file(R"({"a":1})")), "safetensors.header");
    EXPECT_EQ(codeOf(file(R"({"a":{"dtype":"F32"}})")), "safetensors.header");
    EXPECT_EQ(codeOf(file(R"({"__metadata__":{"k":1}})")), "safetensors.header");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "F32", "[1]", "[-4,0]") + "}", eight)), "safetensors.header");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "F32", "[1]", "[0.0,4.0]") + "}", eight)), "safetensors.header");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "F13", "[2]", "[0,8]") + "}", eight)), "safetensors.dtype");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "F32", "[2]", "[0,8]") + "}", "1234")), "safetensors.truncated");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "F32", "[2]", "[8,0]") + "}", eight)), "safetensors.overlap");
}

TEST(Safetensors, RefusesShapesThatDoNotFit) {
    const std::string eight(8, 'x');
    const auto shape = [&](const std::string& s) {
        return codeOf(file("{" + tensor("a", "F32", s, "[0,8]") + "}", eight));
    };
    EXPECT_EQ(shape("[2]"), "ok");
    EXPECT_EQ(shape("[1,2,1]"), "ok");
    EXPECT_EQ(shape("[3]"), "safetensors.shape");
    EXPECT_EQ(shape("[-2]"), "safetensors.shape");
    EXPECT_EQ(shape("[2.0]"), "safetensors.shape");
    EXPECT_EQ(shape("[18446744073709551615]"), "safetensors.shape");
    EXPECT_EQ(shape("[4611686018427387906]"), "safetensors.shape");      // 4 * (2^62 + 2) wraps to 8
    EXPECT_EQ(shape("[4294967296,4294967296,2]"), "safetensors.shape");  // the product wraps to 0
}

TEST(Safetensors, RefusesOverlapsAndGaps) {
    const std::string data(16, 'x');
    const auto two = [&](const std::string& a, const std::string& b) {
        return codeOf(
            file("{" + tensor("a", "U8", "[8]", a) + "," + tensor("b", "U8", "[8]", b) + "}", data));
    };
    EXPECT_EQ(two("[0,8]", "[8,16]"), "ok");
    EXPECT_EQ(two("[8,16]", "[0,8]"), "ok");
    EXPECT_EQ(two("[0,8]", "[0,8]"), "safetensors.overlap");
    EXPECT_EQ(two("[0,8]", "[4,12]"), "safetensors.overlap");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "U8", "[4]", "[4,8]") + "}", "12345678")), "safetensors.overlap");
    EXPECT_EQ(codeOf(file("{" + tensor("a", "U8", "[4]", "[0,4]") + "}", "12345678")), "safetensors.overlap");
    EXPECT_EQ(codeOf(file("{}", "rest")), "safetensors.overlap");
}

TEST(Safetensors, SurvivesEveryTruncationOfARealFile) {
    const auto golden = readFile(std::string(KURVE_SOURCE_DIR) + "/tests/golden/store/golden.safetensors");
    ASSERT_TRUE(golden);
    for (std::size_t n = 0; n < golden->size(); ++n) EXPECT_NE(codeOf(golden->substr(0, n)), "ok") << n;
}

/// Values that Python's safetensors package wrote (golden/store/make_golden.py).
TEST(Safetensors, ReadsWhatPythonWrote) {
    const auto opened =
        SafetensorsFile::open(std::string(KURVE_SOURCE_DIR) + "/tests/golden/store/golden.safetensors");
    ASSERT_TRUE(opened) << opened.error().text();
    const SafetensorsFile& golden = **opened;
    EXPECT_EQ(golden.metadata().at("umlaut"), "ä→λ");
    EXPECT_EQ(golden.find("f64")->shape, (std::vector<std::int64_t>{2, 3}));
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(golden.find("f64")->as<double>()[i], static_cast<double>(i) / 7);
        EXPECT_EQ(golden.find("f32")->as<float>()[i], static_cast<float>(static_cast<double>(i) / 7));
    }
    const auto half = golden.find("f16")->as<std::uint16_t>();
    EXPECT_EQ(fromHalf(half[2]), -2.0f);
    EXPECT_EQ(half[4], toHalf(6e-8f));
    EXPECT_EQ(half[5], toHalf(1.0f / 3.0f));
    EXPECT_TRUE(std::isinf(fromHalf(half[6])));
    EXPECT_EQ(golden.find("i64")->as<std::int64_t>()[1], std::int64_t{1} << 62);
    EXPECT_EQ(golden.find("u32")->as<std::uint32_t>()[0], 4000000000u);
    EXPECT_EQ(golden.find("u8")->as<std::uint8_t>()[4], 4);
    EXPECT_EQ(golden.find("empty")->elements(), 0);
    EXPECT_TRUE(golden.find("scalar")->shape.empty());
    EXPECT_EQ(golden.find("scalar")->as<float>()[0], 2.5f);
}

TEST(Safetensors, WritesWhatItReadsAndSaysItsHash) {
    const testing::TemporaryFolder folder;
    const std::vector<std::uint8_t> odd{1, 2, 3};
    const std::vector<double> wide{NAN, -INFINITY, 1e-300};
    const auto hash = writeSafetensors(folder / "t.safetensors",
                                       {{"a odd", {"U8", {3}, std::as_bytes(std::span(odd))}},
                                        {"wide", {"F64", {3, 1}, std::as_bytes(std::span(wide))}},
                                        {"none", {"F32", {0}, {}}}},
                                       {{"quote\"", "line\nbreak"}});
    ASSERT_TRUE(hash) << hash.error().text();
    EXPECT_EQ(*hash, *sha256File(folder / "t.safetensors"));
    const auto opened = SafetensorsFile::open(folder / "t.safetensors");
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_EQ((*opened)->metadata().at("quote\""), "line\nbreak");
    EXPECT_EQ((*opened)->find("a odd")->as<std::uint8_t>()[2], 3);
    const auto back = (*opened)->find("wide")->as<double>();
    EXPECT_EQ(std::memcmp(back.data(), wide.data(), sizeof(double) * 3), 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "a temporary file is left";
}

TEST(Safetensors, FailsWithTheFilesName) {
    const testing::TemporaryFolder folder;
    EXPECT_EQ(SafetensorsFile::open(folder / "none").error().code, "io.open");
    EXPECT_EQ(SafetensorsFile::open(folder.path()).error().code, "io.open");
    const auto written = writeSafetensors(folder / "missing/t", {}, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "io.write");
    EXPECT_EQ(written.error().file, (folder / "missing/t").string());
    std::ofstream(folder / "empty").close();
    EXPECT_EQ(SafetensorsFile::open(folder / "empty").error().code, "safetensors.truncated");
    const std::vector<std::uint8_t> three{1, 2, 3};
    EXPECT_THROW(
        (void)writeSafetensors(folder / "t", {{"a", {"F32", {1}, std::as_bytes(std::span(three))}}}, {}),
        ContractError);
}

}  // namespace
}  // namespace kurve::store
