#include "core/base/growing_list.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace kurve {
namespace {

std::vector<int> valuesOf(const GrowingList<int>& list) {
    return {list.begin(), list.end()};
}

TEST(GrowingList, GrowsAsAVectorDoes) {
    GrowingList<std::string> list;
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(list.begin(), list.end());
    for (int i = 0; i < 1000; ++i) list.push_back(std::to_string(i));
    const std::vector<std::string> more{"a", "b"};
    list.append(more.begin(), more.end());
    ASSERT_EQ(list.size(), 1002U);
    EXPECT_EQ(list.front(), "0");
    EXPECT_EQ(list[999], "999");
    EXPECT_EQ(list.back(), "b");
    list.clear();
    EXPECT_TRUE(list.empty());
}

TEST(GrowingList, ACopyKeepsWhatItHasAndSharesIt) {
    GrowingList<int> list;
    for (int i = 0; i < 17; ++i) list.push_back(i);  // room for more is left
    const GrowingList<int> before = list;
    list.push_back(17);
    EXPECT_EQ(before.size(), 17U);
    EXPECT_EQ(list.size(), 18U);
    EXPECT_EQ(before.data(), list.data()) << "nothing was copied";
}

TEST(GrowingList, CopiesThatDivergeDoNotDisturbEachOther) {
    GrowingList<int> a;
    for (int i = 0; i < 17; ++i) a.push_back(i);
    GrowingList<int> b = a;
    a.push_back(100);
    b.push_back(200);
    EXPECT_EQ(a.back(), 100);
    EXPECT_EQ(b.back(), 200);
    EXPECT_EQ(b[16], 16);
    GrowingList<int> c = a;
    c.pop_back();
    c.push_back(300);
    EXPECT_EQ(a.back(), 100) << "what was taken back in one copy stands in the other";
    EXPECT_EQ(c.back(), 300);
    EXPECT_EQ(c.size(), a.size());
}

TEST(GrowingList, SaysWhetherItIsTheSame) {
    GrowingList<int> a;
    EXPECT_TRUE(a.isSameAs({}));
    for (int i = 0; i < 17; ++i) a.push_back(i);
    GrowingList<int> b = a;
    EXPECT_TRUE(a.isSameAs(b));
    EXPECT_FALSE(a.isSameAs(GrowingList<int>(a.begin(), a.end()))) << "equal, in another storage";
    a.push_back(17);
    EXPECT_FALSE(a.isSameAs(b));
    b.push_back(18);
    EXPECT_FALSE(a.isSameAs(b));
}

TEST(GrowingList, ACopyCanBeReadWhileAnotherThreadAdds) {
    GrowingList<int> list;
    std::vector<std::thread> readers;
    for (int i = 0; i < 20000; ++i) {
        list.push_back(i);
        if (i % 5000 != 0) continue;
        readers.emplace_back([copy = list, i] {
            std::vector<int> expected(static_cast<std::size_t>(i) + 1);
            std::iota(expected.begin(), expected.end(), 0);
            for (int round = 0; round < 50; ++round) ASSERT_EQ(valuesOf(copy), expected);
        });
    }
    for (auto& reader : readers) reader.join();
}

}  // namespace
}  // namespace kurve
