#include "core/wire/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/wire_table.h"

namespace kurve::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Fields, ReadsWhatIsThere) {
    const nlohmann::json document{{"text", "a"},
                                  {"real", 1.5},
                                  {"whole", 7},
                                  {"flag", true},
                                  {"list", {"a", 1, "b"}},
                                  {"none", nullptr},
                                  {"object", {{"inner", -3}}}};
    const Fields fields(document);
    EXPECT_EQ(fields.text("text"), "a");
    EXPECT_EQ(fields.number("real"), 1.5);
    EXPECT_EQ(fields.number("whole"), 7);
    EXPECT_EQ(fields.integer("whole", 0), 7);
    EXPECT_TRUE(fields.flag("flag"));
    EXPECT_THAT(fields.texts("list"), ElementsAre("a", "b"));
    EXPECT_EQ(fields.numbers("list")[1], 1);
    EXPECT_TRUE(std::isnan(fields.numbers("list")[0]));
    EXPECT_EQ(fields.object("object").integer("inner", 0), -3);
    EXPECT_TRUE(fields.has("text"));
    EXPECT_FALSE(fields.has("none"));
    EXPECT_FALSE(fields.has("other"));
}

TEST(Fields, ANumberOutOfRangeIsTheFallback) {
    const nlohmann::json document{{"large", UINT64_MAX}, {"below", -1}, {"real", 2.0}};
    const Fields fields(document);
    EXPECT_EQ(fields.integer("large", std::int64_t(5)), 5);
    EXPECT_EQ(fields.integer("large", std::uint64_t(5)), UINT64_MAX);
    EXPECT_EQ(fields.integer("below", std::uint64_t(5)), 5u);
    EXPECT_EQ(fields.integer("real", 5), 5);
}

TEST(Fields, EverythingElseReadsAsTheFallback) {
    for (const nlohmann::json& value :
         {nlohmann::json(), nlohmann::json(nlohmann::json::value_t::discarded), nlohmann::json::array({1}),
          nlohmann::json::object(), nlohmann::json{{"key", nullptr}}, nlohmann::json("key")}) {
        const Fields fields(value);
        EXPECT_EQ(fields.text("key", "else"), "else") << value;
        EXPECT_EQ(fields.number("key", 2), 2) << value;
        EXPECT_EQ(fields.integer("key", 3), 3) << value;
        EXPECT_TRUE(fields.flag("key", true)) << value;
        EXPECT_TRUE(fields.list("key").empty()) << value;
        EXPECT_THAT(fields.texts("key"), IsEmpty()) << value;
        EXPECT_THAT(fields.numbers("key"), IsEmpty()) << value;
        EXPECT_FALSE(fields.object("key").has("inner")) << value;
    }
}

TEST(Fields, AnErrorOfTheTableKeepsWhatCanBeRead) {
    const Error otherwise = workError("engine.failed", "no reason");
    for (const Message& event : test::wireEvents())
        for (const Message& damaged : test::damagedCopies(event)) {
            const Error error = errorIn(damaged.body, otherwise);
            EXPECT_FALSE(error.code.empty()) << damaged.body;
        }
    const Error error = errorIn({{"code", "a.b"}, {"file", nullptr}, {"line", nullptr}}, otherwise);
    EXPECT_EQ(error.code, "a.b");
    EXPECT_EQ(error.message, "no reason");
    EXPECT_TRUE(error.file.empty());
    EXPECT_EQ(error.line, 0);
}

}  // namespace
}  // namespace kurve::wire
