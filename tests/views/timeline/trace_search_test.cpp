#include "views/timeline/trace_search.h"

#include <gtest/gtest.h>

namespace kurve::views {
namespace {

/// Mask model, 4 steps x 3 slots:  _ _ given / the _ given / them cat given / _ cat given.
TimelineModel masked() {
    trace::Trace t;
    t.steps = 4;
    t.slots = 3;
    t.tokens = {9, 9, 5, 1, 9, 5, 2, 3, 5, 9, 3, 5};
    t.state = {1, 1, 0, 2, 1, 0, 4, 2, 0, 5, 3, 0};
    t.confidence = {.1F, .1F, 1, .4F, .2F, 1, .8F, .9F, 1, .1F, .95F, 1};
    t.entropy = t.margin = t.confidence;
    t.pieces = {{1, "▁the"}, {2, "▁them"}, {3, "▁Cat"}, {5, "▁once"}, {9, "[MASK]"}};
    t.meta["kind"] = "discrete";
    t.blocks["committed"] = {{4, 3}, {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0}, true};
    return TimelineModel(std::make_shared<trace::Trace>(t));
}

std::vector<Edit> found(const char* question) {
    const auto places = searchTrace(masked(), question);
    return places ? *places : std::vector<Edit>{{-1, -1}};
}
using Places = std::vector<Edit>;

TEST(TraceSearch, ASlotMeansItsChanges) {
    EXPECT_EQ(found("slot 0"), (Places{{1, 0}, {2, 0}, {3, 0}}));
    EXPECT_EQ(found("1"), (Places{{2, 1}}));
    EXPECT_EQ(found("slot 2"), Places{});
}

TEST(TraceSearch, AWordIsFoundWhereItArrives) {
    EXPECT_EQ(found("cat"), (Places{{2, 1}})) << "not again while it stays";
    EXPECT_EQ(found("the"), (Places{{1, 0}, {2, 0}})) << "the, then them";
    EXPECT_EQ(found("ONCE"), (Places{{0, 2}}));
    EXPECT_EQ(found("dog"), Places{});
}

TEST(TraceSearch, StatesAndNumbersNarrow) {
    EXPECT_EQ(found("masked"), (Places{{0, 0}, {0, 1}, {1, 1}}));
    EXPECT_EQ(found("remasked"), (Places{{3, 0}}));
    EXPECT_EQ(found("changed"), (Places{{2, 0}}));
    EXPECT_EQ(found("new confidence<0.5"), (Places{{1, 0}}));
    EXPECT_EQ(found("slot 1 confidence>0.5"), (Places{{2, 1}, {3, 1}}));
}

TEST(TraceSearch, FindsWhatATraceDeclares) {
    EXPECT_EQ(found("will-mask"), (Places{{2, 0}})) << "seen in the state that follows";
    EXPECT_EQ(found("committed"), (Places{{1, 0}, {1, 1}, {2, 0}, {2, 1}}));
    EXPECT_EQ(found("committed cat"), (Places{{2, 1}}));
}

TEST(TraceSearch, SaysWhatIsWrong) {
    EXPECT_EQ(searchTrace(masked(), "  ").error().code, "search.empty");
    EXPECT_EQ(searchTrace(masked(), "slot 3").error().code, "search.number");
}

}  // namespace
}  // namespace kurve::views
