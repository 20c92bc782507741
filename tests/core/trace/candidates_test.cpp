#include "core/trace/candidates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace kurve::trace {
namespace {

Trace with(const std::string& text) {
    Trace trace;
    if (!text.empty()) trace.meta["candidates"] = text;
    return trace;
}

TEST(Candidates, ComeBackAsTheyWereWritten) {
    const std::vector<TextCandidate> all{{"a \"b\"", -0.1234567890123, 3, 7}, {"", -2, 0, 0}};
    EXPECT_EQ(candidatesOf(with(candidatesJson(all).dump())), all);
    EXPECT_EQ(candidatesJson(all)[0]["output"], "a \"b\"");
    EXPECT_EQ(candidatesJson(all)[0]["pieces"], 7);
}

TEST(Candidates, WhatTheSelectorCouldNotReadHasNoScore) {
    const double none = -std::numeric_limits<double>::infinity();
    const std::string text = candidatesJson({{"long", none, 1, 900}}).dump();
    EXPECT_NE(text.find("\"score\":null"), std::string::npos) << text;
    EXPECT_FALSE(std::isfinite(candidatesOf(with(text)).at(0).score));
}

TEST(Candidates, SkipMalformedEntries) {
    EXPECT_TRUE(candidatesOf(with("")).empty());
    for (const char* text : {"{", "7", "{}", "[[[[[[1]]]]]]", "[1, null, {\"output\": 4}]"})
        EXPECT_TRUE(candidatesOf(with(text)).empty()) << text;
    const auto found = candidatesOf(with(R"([{"output": "x", "number": "y"}, 3])"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].number, 0);
}

}  // namespace
}  // namespace kurve::trace
