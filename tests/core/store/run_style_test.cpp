// Styles of runs: no two have the same style while there are free ones, and a run keeps its own.
#include "core/store/run_style.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "tests/core/store/index_fixture.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(RunStyleAt, NoTwoShareColourAndMarkerUntilAllAreUsed) {
    for (int first = 0; first < 200; first += 7) {
        std::set<std::pair<int, int>> seen;
        for (int at = first; at < first + 36; ++at)
            EXPECT_TRUE(seen.emplace(styleAt(at).colour, styleAt(at).marker).second) << at;
    }
    std::set<std::tuple<int, int, int>> seen;
    for (int at = 0; at < 144; ++at) {
        const RunStyle style = styleAt(at);
        EXPECT_TRUE(seen.emplace(style.colour, style.dash, style.marker).second) << at;
        EXPECT_LT(style.colour, 6);
        EXPECT_LT(style.dash, 4);
        EXPECT_LT(style.marker, 6);
    }
}

class IndexStyles : public IndexFixture {
protected:
    static std::map<std::string, int> styles(ProjectIndex& index) {
        EXPECT_TRUE(index.refresh());
        std::map<std::string, int> styles;
        const auto runs = index.runs();
        for (const auto& run : *runs) styles.emplace(run.id, run.style);
        return styles;
    }
};

TEST_F(IndexStyles, AreTheSameForEveryProgramAndInEverySession) {
    for (const char* id : {"a", "b", "c"}) write(id);
    auto first = open();
    EXPECT_THAT(styles(*first), ElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 2)));
    write("aa");  // by its name between the others: they keep theirs
    EXPECT_THAT(styles(*first), ElementsAre(Pair("a", 0), Pair("aa", 3), Pair("b", 1), Pair("c", 2)));
    EXPECT_EQ(styles(*open()), styles(*first));
    ASSERT_TRUE(first->rebuild());
    EXPECT_THAT(styles(*first), ElementsAre(Pair("a", 0), Pair("aa", 3), Pair("b", 1), Pair("c", 2)));
}

TEST_F(IndexStyles, OfAMissingRunAreReassignedAndNeverTwice) {
    for (const char* id : {"a", "b", "c"}) write(id);
    auto index = open();
    std::filesystem::rename(folder_ / "runs/b", folder_ / "b");
    write("d");
    EXPECT_THAT(styles(*index), ElementsAre(Pair("a", 0), Pair("c", 2), Pair("d", 1)));
    std::filesystem::rename(folder_ / "b", folder_ / "runs/b");
    EXPECT_THAT(styles(*index), ElementsAre(Pair("a", 0), Pair("b", 3), Pair("c", 2), Pair("d", 1)));
}

TEST_F(IndexStyles, AreAssignedBeforeARunIsRead) {
    for (const char* id : {"a", "b", "c", "d"}) write(id);
    auto index = ProjectIndex::open(project());
    ASSERT_TRUE(index);
    ASSERT_TRUE((*index)->refreshFor(0));  // reads the newest, by name the last, and leaves others
    const auto runs = (*index)->runs();
    EXPECT_FALSE(runs->empty());
    for (const auto& run : *runs) EXPECT_EQ(run.style, run.id[0] - 'a');
}

TEST_F(IndexStyles, TheFirstOnesChangeHands) {
    for (const char* id : {"a", "b", "c", "d"}) write(id);
    auto index = open();
    ASSERT_TRUE(index->assignFirstStyles({"d", "b"}));
    EXPECT_THAT(styles(*index), ElementsAre(Pair("a", 3), Pair("b", 1), Pair("c", 2), Pair("d", 0)));
    ASSERT_TRUE(index->assignFirstStyles({"c"}));
    EXPECT_THAT(styles(*open()), ElementsAre(Pair("a", 3), Pair("b", 1), Pair("c", 0), Pair("d", 2)));
}

}  // namespace
}  // namespace kurve::store
