#include "core/series/pyramid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::series {
namespace {

/// A curve with plateaus in x, spikes and non-finite points.
void fill(Pyramid& pyramid, std::size_t n, std::uint64_t seed) {
    RandomStream random(seed, "test.curve");
    double x = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (random.below(4) != 0) x += random.uniform();
        double y = random.normal() * (random.below(50) == 0 ? 100 : 1);
        if (random.below(20) == 0) y = random.below(2) == 0 ? NAN : INFINITY;
        pyramid.append(x, y);
    }
}

Extent scan(const Pyramid& pyramid, std::size_t begin, std::size_t end) {
    Extent extent;
    for (std::size_t i = begin; i < end; ++i) extent.add(pyramid.y()[i]);
    return extent;
}

void expectSame(const Extent& got, const Extent& want) {
    ASSERT_EQ(got.min, want.min);
    ASSERT_EQ(got.max, want.max);
    ASSERT_EQ(got.minPositive, want.minPositive);
    ASSERT_EQ(got.notFinite, want.notFinite);
}

TEST(Pyramid, AnyStretchIsWhatAScanFinds) {
    for (const std::size_t n : {1, 15, 16, 17, 255, 256, 257, 4096, 5000}) {
        Pyramid pyramid;
        fill(pyramid, n, n);
        RandomStream random(n, "test.stretch");
        for (int k = 0; k < 300; ++k) {
            auto begin = random.below(n + 1), end = random.below(n + 1);
            if (begin > end) std::swap(begin, end);
            expectSame(pyramid.extent(begin, end), scan(pyramid, begin, end));
        }
        expectSame(pyramid.extent(0, n), scan(pyramid, 0, n));
    }
}

/// At any zoom: columns share out the visible points, none twice and none left out; so the global extremes
/// and the first and last point are always drawn.
TEST(Pyramid, ColumnsHoldEveryVisiblePointOnce) {
    Pyramid pyramid;
    fill(pyramid, 3000, 1);
    RandomStream random(2, "test.zoom");
    const double end = pyramid.x().back();
    for (int k = 0; k < 200; ++k) {
        double low = random.uniform() * end, high = random.uniform() * end;
        if (k % 10 == 0) low = 0, high = end;
        if (low > high) std::swap(low, high);
        const auto edges = linearEdges(low, high, 1 + static_cast<int>(random.below(700)));
        const auto columns = pyramid.columns(edges);
        ASSERT_EQ(columns.size() + 1, edges.size());
        std::size_t next = pyramid.lowerBound(low);
        Extent sum;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            ASSERT_EQ(columns[i].begin, next);
            next = columns[i].end;
            for (std::size_t p = columns[i].begin; p < next; ++p) {
                ASSERT_GE(pyramid.x()[p], edges[i]);
                if (i + 1 < columns.size())
                    ASSERT_LT(pyramid.x()[p], edges[i + 1]);
                else
                    ASSERT_LE(pyramid.x()[p], high);
            }
            expectSame(columns[i].extent, scan(pyramid, columns[i].begin, columns[i].end));
            sum.add(columns[i].extent);
        }
        ASSERT_TRUE(next == pyramid.size() || pyramid.x()[next] > high);
        expectSame(sum, scan(pyramid, pyramid.lowerBound(low), next));
        if (k % 10 == 0) ASSERT_EQ(next, pyramid.size());
    }
}

TEST(Pyramid, ColumnsJoinAtFirstAndLastFinitePoints) {
    Pyramid pyramid;
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {NAN, 7, 9, INFINITY, NAN, NAN};
    pyramid.append(x, y);
    const auto columns = pyramid.columns(linearEdges(0, 8, 2));
    EXPECT_EQ(columns[0].first, 7);
    EXPECT_EQ(columns[0].last, 9);
    EXPECT_EQ(columns[0].extent.notFinite, 2u);
    EXPECT_TRUE(columns[1].extent.empty());
    EXPECT_EQ(columns[1].extent.notFinite, 2u);
    EXPECT_TRUE(pyramid.columns({}).empty());
}

TEST(Pyramid, AClockThatJumpsBackLosesNothing) {
    Pyramid pyramid;
    for (const double x : {1.0, 5.0, 2.0, 6.0}) pyramid.append(x, x);
    EXPECT_EQ(pyramid.x()[2], 5.0);
    EXPECT_EQ(pyramid.columns(linearEdges(0, 10, 3))[1].extent.min, 2.0);
    EXPECT_THROW((void)pyramid.extent(3, 5), ContractError);
    pyramid.clear();
    EXPECT_EQ(pyramid.size(), 0u);
    EXPECT_TRUE(pyramid.extent(0, 0).empty());
    EXPECT_EQ(pyramid.columns(linearEdges(0, 10, 3)).size(), 3u);
}

/// Of the points [0, n) of a curve whose x falls at `fall`.
struct Lists {
    GrowingList<double> x, y;
    void grow(std::size_t n, std::size_t fall = SIZE_MAX) {
        for (std::size_t i = x.size(); i < n; ++i) {
            x.push_back(static_cast<double>(i == fall ? i - 5 : i));
            y.push_back(i % 50 == 7 ? NAN : std::sin(static_cast<double>(i)));
        }
    }
};

TEST(Pyramid, SharesListsThatGrow) {
    Lists lists;
    Pyramid shared, own;
    for (const std::size_t n : {1, 17, 300, 5000}) {
        const std::size_t had = lists.x.size();
        lists.grow(n);
        shared.share(lists.x, lists.y);
        own.append(std::span<const double>(lists.x).subspan(had),
                   std::span<const double>(lists.y).subspan(had));
        ASSERT_EQ(shared.size(), n);
        expectSame(shared.extent(0, n), own.extent(0, n));
        expectSame(shared.extent(n / 3, n), scan(own, n / 3, n));
        EXPECT_EQ(shared.x().data(), lists.x.data()) << "no copy of the points";
        EXPECT_EQ(shared.y().data(), lists.y.data());
        EXPECT_NE(own.x().data(), lists.x.data());
    }
    EXPECT_THROW(shared.share({}, {}), ContractError) << "it has more points";
}

TEST(Pyramid, SharedListsWhoseClockJumpsBackStayAsTheyAre) {
    Lists lists;
    Pyramid shared;
    lists.grow(100);
    shared.share(lists.x, lists.y);
    lists.grow(200, 150);
    shared.share(lists.x, lists.y);
    EXPECT_EQ(lists.x[150], 145);
    EXPECT_EQ(shared.x()[150], 149);
    EXPECT_EQ(shared.x()[151], 151);
    lists.grow(300, 150);
    shared.share(lists.x, lists.y);
    EXPECT_EQ(shared.x()[150], 149) << "also when more has come";
    EXPECT_EQ(shared.x().back(), 299);
}

TEST(Pyramid, AnotherCurveAlongItsKeysHasNoneOfItsOwn) {
    Pyramid keys, along;
    fill(keys, 100, 3);
    along.appendAlong(keys, std::vector<double>(100, 2.0));
    fill(keys, 1, 4);
    along.appendAlong(keys, std::vector<double>{3.0});
    EXPECT_EQ(along.x().data(), keys.x().data());
    EXPECT_EQ(along.size(), 101U);
    EXPECT_EQ(along.extent(0, 101).max, 3.0);
    EXPECT_THROW(along.appendAlong(keys, std::vector<double>{4.0}), ContractError);
}

TEST(Edges, EndExactlyAndRise) {
    const auto logs = logEdges(1e-3, 1e3, 6);
    for (std::size_t i = 0; i < logs.size(); ++i)
        EXPECT_NEAR(std::log10(logs[i]), static_cast<double>(i) - 3, 1e-12);
    EXPECT_EQ(logs.back(), 1e3);
    EXPECT_EQ(linearEdges(0.1, 0.7, 3).back(), 0.7);
}

}  // namespace
}  // namespace kurve::series
