#include "core/interop/trace_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "tests/support/chunk_trace.h"
#include "tests/support/trace_declarations.h"

namespace kurve::interop {
namespace {

using testing::HasSubstr;
using testing::Not;

int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

/// 2 steps x 7 positions: each state once in the second step, all masked in the first.
trace::Trace everyState() {
    trace::Trace t;
    t.steps = 2;
    t.positions = 7;
    t.tokens = {9, 9, 9, 9, 9, 9, 9, 1, 9, 2, 3, 4, 9, 0};
    t.state = {0, 1, 1, 2, 2, 2, 6, 0, 1, 2, 3, 4, 5, 6};
    t.confidence.assign(14, 0.5F);
    t.entropy = t.margin = t.confidence;
    t.t = {1, 0.25};
    t.logSnr = {-5, 5};
    t.tokenTexts = {{0, "<pad>"}, {1, "▁a"}, {2, "▁b&c"}, {3, "▁<d>"}, {4, "e"}, {9, "[MASK]"}};
    t.meta = {{"run", "run-1"}, {"prompt", "say \"5 < 6\""}};
    test::declareMasks(t);
    return t;
}

TEST(TraceSvg, EveryStateHasItsShapeAndPaddingNone) {
    const std::string svg = traceSvg(everyState());
    EXPECT_EQ(count(svg, "class=\"given\""), 2);
    EXPECT_EQ(count(svg, "class=\"masked\""), 3);
    EXPECT_EQ(count(svg, "class=\"new\""), 4);
    EXPECT_EQ(count(svg, "class=\"flip\""), 1);
    EXPECT_EQ(count(svg, "class=\"remask\""), 1);
    // 12 cells that are no padding, all of one shade: one path with 12 squares.
    EXPECT_EQ(count(svg, "fill-opacity=\"0.500\""), 1);
    EXPECT_EQ(count(svg, "h16v14h-16z"), 12);
}

TEST(TraceSvg, DeclaredMarksAreDottedRingsAndBrackets) {
    trace::Trace t = everyState();
    t.state[12] = 3;  // nothing was masked again by itself
    EXPECT_THAT(traceSvg(t), Not(HasSubstr("will-mask")));
    EXPECT_THAT(traceSvg(t), Not(HasSubstr("dotted ring")));
    t.blocks["will_mask"] = {{2, 7}, {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0}};  // one of them padding
    t.blocks["committed"] = {{2, 7}, {0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0}};
    const std::string svg = traceSvg(t);
    EXPECT_EQ(count(svg, "class=\"will-mask\""), 2);
    // Step 1: position 1; step 2: positions 2 and 3 (position 1 was finished before), and position 5. Cells
    // of 16 x 14 from (122, 40).
    EXPECT_EQ(count(svg, "class=\"committed\""), 3);
    EXPECT_THAT(svg, HasSubstr("d=\"M126 55h-3v12h3\""));
    EXPECT_THAT(svg, HasSubstr("d=\"M142 69h-3v26h3\""));
    EXPECT_THAT(svg, HasSubstr("d=\"M142 111h-3v12h3\""));
    EXPECT_THAT(svg, HasSubstr("dotted ring: remasked in the next step; bracket: block finished"));
}

TEST(TraceSvg, TheFirstColumnOfAContinuousModelHasNoMarks) {
    trace::Trace t = everyState();
    t.blocks.erase("found_masked");
    EXPECT_EQ(count(traceSvg(t), "class=\"new\""), 1);
}

TEST(TraceSvg, IsWellFormedAndNamesWhereItIsFrom) {
    const std::string svg = traceSvg(everyState());
    EXPECT_THAT(svg, HasSubstr("run-1 · \"say \"5 &lt; 6\"\""));
    EXPECT_THAT(svg, HasSubstr("b&amp;c"));
    EXPECT_THAT(svg, HasSubstr("step 2, t 0.25"));
    EXPECT_THAT(svg, Not(HasSubstr("<d>")));
    EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
    EXPECT_EQ(count(svg, "<svg"), count(svg, "</svg>"));
}

TEST(TraceSvg, ChunksWithoutConfidenceHaveTheirShapes) {
    trace::Trace chunks = test::chunkTrace();
    trace::joinTexts(chunks);
    const std::string svg = traceSvg(chunks);
    EXPECT_THAT(svg, HasSubstr("a b c d e f"));
    EXPECT_EQ(count(svg, "class=\"new\""), 3) << "each chunk once";
    EXPECT_EQ(count(svg, "class=\"masked\""), 6) << "not yet written";
    EXPECT_EQ(count(svg, "fill-opacity"), 0);
}

TEST(TraceSvg, SentencesHaveSpacesBetweenThem) {
    trace::Trace t;
    t.unit = trace::Unit::Sentence;
    t.steps = 1;
    t.positions = 2;
    t.tokens = {0, 1};
    t.state = {0, 2};
    t.confidence = t.entropy = t.margin = {1, 1};
    t.t = {1};
    t.logSnr = {0};
    t.tokenTexts = {{0, "Tom had a kite."}, {1, "The end."}};
    EXPECT_THAT(traceSvg(t), HasSubstr("Tom had a kite. The end."));
}

TEST(TraceSvg, LongTracesStaySmallAndEmptyOnesAreAPage) {
    trace::Trace t = everyState();
    t.steps = 128;
    t.positions = 256;
    const std::size_t cells = 128 * 256;
    t.tokens.assign(cells, 1);
    t.state.assign(cells, 3);
    t.confidence.assign(cells, 0.9F);
    t.t.assign(128, 0.5);
    t.logSnr.assign(128, 0);
    EXPECT_LT(traceSvg(t).size(), 2'000'000U);
    EXPECT_THAT(traceSvg(trace::Trace{}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace kurve::interop
