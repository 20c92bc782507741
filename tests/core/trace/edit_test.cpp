#include "core/trace/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kurve::trace {
namespace {

using ::testing::HasSubstr;

TEST(Edits, SurviveTheirJson) {
    const char* text =
        R"([{"kind":"force","position":2,"token":"lay"},{"kind":"pin","step":9,"position":0,"token":7},
                           {"kind":"ban","position":1,"token":4,"text":"the"},{"kind":"noise","position":3},
                           {"kind":"latent","point":5,"values":[0.5,-1]},
                           {"kind":"sampler","step":7,"settings":{"sampler.temperature":0.5,"sampler.draws":"9"}}])";
    const auto edits = editsFromText(text, 4);
    ASSERT_TRUE(edits) << edits.error().text();
    ASSERT_EQ(edits->size(), 6U);
    EXPECT_EQ(edits->at(0), (Edit{EditKind::Force, 4, 2, false, -1, "lay", {}}));
    EXPECT_EQ(edits->at(1), (Edit{EditKind::Pin, 9, 0, false, 7, "", {}}));
    EXPECT_EQ(edits->at(4), (Edit{EditKind::Latent, 4, 5, true, -1, "", {0.5F, -1}}));
    EXPECT_EQ(edits->at(5).settings,
              (std::map<std::string, std::string>{{"sampler.temperature", "0.5"}, {"sampler.draws", "9"}}));
    EXPECT_EQ(editsName({edits->at(5)}), "sampler.draws = 9, sampler.temperature = 0.5 @8");
    EXPECT_EQ(*editsFromJson(editsToJson(*edits), 0), *edits);
}

TEST(Edits, OneNeedsNoList) {
    const auto edits = editsFromText(R"({"kind":"noise","position":3})", 4);
    ASSERT_TRUE(edits);
    EXPECT_EQ(edits->front().step, 4);
}

TEST(Edits, AreNamedAsTheTimelineCounts) {
    const Edit force{EditKind::Force, 16, 2, false, -1, "lay", {}},
        noise{EditKind::Noise, 16, 4, false, -1, "", {}};
    EXPECT_EQ(editsName({force}), "position 2 := lay @17");
    EXPECT_EQ(editsName({force, noise}), "position 2 := lay @17, position 4 := noise @17");
    EXPECT_EQ(editsName({{EditKind::Ban, 0, 1, false, 9, "", {}}}), "position 1 != 9 @1");
    EXPECT_EQ(editsName({{EditKind::Latent, 2, 6, true, -1, "", {1}}}), "point 6 moved @3");
    EXPECT_EQ(editsName({noise, noise, noise, noise, noise}), editsName({noise, noise, noise}) + ", 2 more");
    EXPECT_EQ(editsName({}), "unchanged");
}

TEST(Edits, LastAsLongAsTheirKindSays) {
    const auto acts = [](EditKind kind, int at) { return Edit{kind, 3, 0, false, 5, "", {}}.actsAt(at); };
    EXPECT_FALSE(acts(EditKind::Pin, 2) || acts(EditKind::Force, 2));
    EXPECT_TRUE(acts(EditKind::Pin, 3) && acts(EditKind::Force, 3) && acts(EditKind::Noise, 3));
    EXPECT_TRUE(acts(EditKind::Pin, 9) && acts(EditKind::Ban, 9));
    EXPECT_FALSE(acts(EditKind::Force, 4) || acts(EditKind::Noise, 4) || acts(EditKind::Latent, 4));
}

TEST(Edits, SayWhatIsWrongWithThem) {
    const auto code = [](const char* text) { return editsFromText(text, 0).error().code; };
    EXPECT_EQ(code("not JSON"), "branch.syntax");
    EXPECT_EQ(code(R"([[[[[[]]]]]])"), "branch.syntax");
    EXPECT_EQ(code(R"([{"position":1}])"), "branch.syntax");
    EXPECT_EQ(code(R"({"kind":"force","position":-1,"token":3})"), "branch.syntax");
    EXPECT_EQ(code(R"({"kind":"force","position":1})"), "branch.syntax");
    EXPECT_EQ(code(R"({"kind":"force","position":1,"token":2.5})"), "branch.syntax");
    EXPECT_EQ(code(R"({"kind":"latent","position":1,"values":["a"]})"), "branch.syntax");
    const auto unknown = editsFromText(R"({"kind":"froce","position":1,"token":3})", 0);
    EXPECT_EQ(unknown.error().code, "branch.kind");
    EXPECT_THAT(unknown.error().remedy, HasSubstr("force"));
}

TEST(Edits, MustFitTheTrace) {
    Trace parent;
    parent.steps = 5;
    parent.positions = 3;
    const auto code = [&](int from, int step, int position, bool point = false) {
        const auto status =
            checkEdits(parent, from, {Edit{EditKind::Latent, step, position, point, -1, "", {1}}});
        return status ? std::string() : status.error().code;
    };
    EXPECT_EQ(code(0, 0, 0), "");
    EXPECT_EQ(code(4, 4, 2), "");
    EXPECT_EQ(code(0, 0, 7, true), "");  // only the model knows its control points
    EXPECT_EQ(code(5, 5, 0), "branch.step");
    EXPECT_EQ(code(-1, 0, 0), "branch.step");
    EXPECT_EQ(code(2, 1, 0), "branch.step");
    EXPECT_EQ(code(2, 5, 0), "branch.step");
    EXPECT_EQ(code(2, 2, 3), "branch.position");
}

TEST(Edits, AChunkIsNotChangedBehindItsStep) {
    Trace trace;
    trace.unit = Unit::Chunk;
    trace.steps = 3;
    trace.positions = 5;
    trace.outerLength = 5;
    trace.outer = {2, 3, 4};
    const auto at = [&](int step, int position) {
        return checkEdits(trace, step, {{EditKind::Force, step, position, false, -1, "lay", {}}});
    };
    EXPECT_TRUE(at(1, 3));
    EXPECT_TRUE(at(1, 4)) << "a later one";
    const auto behind = at(2, 3);
    ASSERT_FALSE(behind);
    EXPECT_EQ(behind.error().code, "branch.position");
    EXPECT_THAT(behind.error().message, HasSubstr("chunk 3 is written by step 2, not 3"));
    EXPECT_TRUE(checkEdits(trace, 2, {{EditKind::Sampler, 2, 0, false, -1, "", {}}}));
}

}  // namespace
}  // namespace kurve::trace
