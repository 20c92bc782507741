// How runs are told apart: two of them never look the same while there are looks left, and a run keeps its
// own.
#include "core/store/run_look.h"

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

TEST(RunLookAt, NoTwoShareColourAndShapeUntilAllAreUsedUp) {
    for (int first = 0; first < 200; first += 7) {
        std::set<std::pair<int, int>> seen;
        for (int place = first; place < first + 36; ++place)
            EXPECT_TRUE(seen.emplace(lookAt(place).colour, lookAt(place).shape).second) << place;
    }
    std::set<std::tuple<int, int, int>> seen;
    for (int place = 0; place < 144; ++place) {
        const RunLook look = lookAt(place);
        EXPECT_TRUE(seen.emplace(look.colour, look.dash, look.shape).second) << place;
        EXPECT_LT(look.colour, 6);
        EXPECT_LT(look.dash, 4);
        EXPECT_LT(look.shape, 6);
    }
}

class IndexLooks : public IndexFixture {
protected:
    static std::map<std::string, int> looks(ProjectIndex& index) {
        EXPECT_TRUE(index.refresh());
        std::map<std::string, int> looks;
        const auto runs = index.runs();
        for (const auto& run : *runs) looks.emplace(run.id, run.look);
        return looks;
    }
};

TEST_F(IndexLooks, AreTheSameForEveryProgramAndInEverySession) {
    for (const char* id : {"a", "b", "c"}) write(id);
    auto first = open();
    EXPECT_THAT(looks(*first), ElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 2)));
    write("aa");  // by its name between the others: they keep theirs
    EXPECT_THAT(looks(*first), ElementsAre(Pair("a", 0), Pair("aa", 3), Pair("b", 1), Pair("c", 2)));
    EXPECT_EQ(looks(*open()), looks(*first));
    ASSERT_TRUE(first->rebuild());
    EXPECT_THAT(looks(*first), ElementsAre(Pair("a", 0), Pair("aa", 3), Pair("b", 1), Pair("c", 2)));
}

TEST_F(IndexLooks, OfARunThatIsGoneAreGivenAgainAndNeverTwice) {
    for (const char* id : {"a", "b", "c"}) write(id);
    auto index = open();
    std::filesystem::rename(folder_ / "runs/b", folder_ / "b");
    write("d");
    EXPECT_THAT(looks(*index), ElementsAre(Pair("a", 0), Pair("c", 2), Pair("d", 1)));
    std::filesystem::rename(folder_ / "b", folder_ / "runs/b");
    EXPECT_THAT(looks(*index), ElementsAre(Pair("a", 0), Pair("b", 3), Pair("c", 2), Pair("d", 1)));
}

TEST_F(IndexLooks, AreGivenBeforeARunIsRead) {
    for (const char* id : {"a", "b", "c", "d"}) write(id);
    auto index = ProjectIndex::open(project());
    ASSERT_TRUE(index);
    ASSERT_TRUE((*index)->refreshFor(0));  // reads the newest, by name the last, and leaves others
    const auto runs = (*index)->runs();
    EXPECT_FALSE(runs->empty());
    for (const auto& run : *runs) EXPECT_EQ(run.look, run.id[0] - 'a');
}

TEST_F(IndexLooks, TheFirstOnesChangeHands) {
    for (const char* id : {"a", "b", "c", "d"}) write(id);
    auto index = open();
    ASSERT_TRUE(index->giveFirstLooks({"d", "b"}));
    EXPECT_THAT(looks(*index), ElementsAre(Pair("a", 3), Pair("b", 1), Pair("c", 2), Pair("d", 0)));
    ASSERT_TRUE(index->giveFirstLooks({"c"}));
    EXPECT_THAT(looks(*open()), ElementsAre(Pair("a", 3), Pair("b", 1), Pair("c", 0), Pair("d", 2)));
}

}  // namespace
}  // namespace kurve::store
