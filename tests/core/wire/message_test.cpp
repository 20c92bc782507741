#include "core/wire/message.h"

#include <gtest/gtest.h>

namespace kurve::wire {
namespace {

std::string codeOf(std::string_view line) {
    const auto message = decode(line);
    return message ? "ok" : message.error().code;
}

TEST(Message, ComesBackFromItsLine) {
    const Message sent{
        "sample", "7", {{"input", "a\nline \u2028 and \"quotes\""}, {"sampler", {{"steps", 8}}}}};
    const std::string line = encode(sent);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto got = decode(line);
    ASSERT_TRUE(got) << got.error().text();
    EXPECT_EQ(got->type, "sample");
    EXPECT_EQ(got->id, "7");
    EXPECT_EQ(got->body, sent.body);
}

TEST(Message, ReadsWhatTheWireDescribes) {
    const auto pause = decode(R"({"v":1,"type":"pause"})");
    ASSERT_TRUE(pause);
    EXPECT_TRUE(pause->id.empty());
    EXPECT_TRUE(pause->body.empty());
    EXPECT_EQ(decode(R"({"v":1,"type":"ping","id":12})")->id, "12") << "a number is a fine id";
    EXPECT_EQ(decode(R"({"v":1,"type":"new thing","field":[1]})")->body["field"][0], 1);
}

TEST(Message, EncodesEvenBrokenText) {
    const std::string line = encode({"log", "", {{"text", "bad \xff byte"}}});
    ASSERT_TRUE(decode(line)) << line;
    EXPECT_EQ(decode(encode({"x", "", nullptr}))->type, "x");
}

TEST(Message, BadLinesAreErrors) {
    for (const char* line :
         {"", "x", "{", "[]", "1", "null", R"("v")", R"({"v":1,"type":"a"} x)", "{\"\xff\":1}"})
        EXPECT_EQ(codeOf(line), "wire.syntax") << line;
    EXPECT_EQ(codeOf(std::string_view("{\"v\":1,\"type\":\"a\0\"}", 19)), "wire.syntax");
    EXPECT_EQ(codeOf(std::string(1 << 20, '[')), "wire.syntax");
    EXPECT_EQ(codeOf(R"({"v":1,"type":"a","x":)" + std::string(63, '[') + std::string(63, ']') + "}"), "ok");
    EXPECT_EQ(codeOf(R"({"v":1,"type":"a","x":)" + std::string(64, '[') + std::string(64, ']') + "}"),
              "wire.syntax");
    EXPECT_EQ(codeOf(R"({"type":"a"})"), "wire.version");
    EXPECT_EQ(codeOf(R"({"v":2,"type":"a"})"), "wire.version");
    EXPECT_EQ(codeOf(R"({"v":"1","type":"a"})"), "wire.version");
    EXPECT_EQ(codeOf(R"({"v":1})"), "wire.no_type");
    EXPECT_EQ(codeOf(R"({"v":1,"type":3})"), "wire.no_type");
    EXPECT_EQ(codeOf(R"({"v":1,"type":""})"), "wire.no_type");
    EXPECT_EQ(codeOf(std::string(kMaxLineBytes + 1, ' ')), "wire.too_long");
}

TEST(LineReader, IsTheSameHoweverTheBytesAreSplit) {
    const std::string stream =
        "{\"v\":1,\"type\":\"a\",\"text\":\"λ→\"}\n\r\nbroken\n{\"v\":1,\"type\":\"b\"}\r\n{\"v\":1,";
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        LineReader reader;
        auto got = reader.feed(std::string_view(stream).substr(0, cut));
        for (auto& more : reader.feed(std::string_view(stream).substr(cut))) got.push_back(std::move(more));
        ASSERT_EQ(got.size(), 3u) << cut;
        EXPECT_EQ(got[0]->body["text"], "λ→");
        EXPECT_EQ(got[1].error().code, "wire.syntax");
        EXPECT_EQ(got[2]->type, "b");
    }
    LineReader bytewise;
    std::size_t count = 0;
    for (const char c : stream) count += bytewise.feed({&c, 1}).size();
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(bytewise.feed("\"type\":\"rest\"}\n").at(0)->type, "rest");
}

TEST(LineReader, SkipsALineThatIsTooLongAndGoesOn) {
    LineReader reader;
    const std::string block(1 << 20, 'x');
    std::size_t errors = 0;
    for (int i = 0; i < 20; ++i)
        for (const auto& result : reader.feed(block)) {
            EXPECT_EQ(result.error().code, "wire.too_long");
            ++errors;
        }
    EXPECT_EQ(errors, 1u) << "once, not for every block";
    const auto after = reader.feed("x\n{\"v\":1,\"type\":\"a\"}\n");
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(after[0]->type, "a");
}

}  // namespace
}  // namespace kurve::wire
