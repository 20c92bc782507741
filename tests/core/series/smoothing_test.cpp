#include "core/series/smoothing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random_stream.h"

namespace kurve::series {
namespace {

using Values = std::vector<double>;

/// The definition in the header, term by term.
Values byDefinition(const Values& x, const Values& y, double halfLife) {
    Values out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0, weight = 0;
        for (std::size_t j = 0; j <= i; ++j) {
            if (!std::isfinite(y[j])) continue;
            const double d = std::exp2(-(x[i] - x[j]) / halfLife);
            sum += d * y[j];
            weight += d;
        }
        out.push_back(std::isfinite(y[i]) ? sum / weight : NAN);
    }
    return out;
}

TEST(Smooth, EqualsItsDefinitionOnIrregularPointsWithHoles) {
    RandomStream random(3, "test.smooth");
    Values x, y;
    double at = 0;
    for (int i = 0; i < 300; ++i) {
        x.push_back(at += random.below(5) == 0 ? 40 * random.uniform() : random.uniform());
        y.push_back(random.below(9) == 0 ? NAN : random.below(30) == 0 ? INFINITY : random.normal());
    }
    const Values got = smooth(x, y, 6), want = byDefinition(x, y, 6);
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(std::isnan(got[i]), std::isnan(want[i])) << i;
        if (!std::isnan(want[i])) ASSERT_NEAR(got[i], want[i], 1e-12) << i;
    }
}

TEST(Smooth, AConstantStaysThatConstant) {
    const Values x{0, 1, 2, 50, 51}, y(5, 0.1);
    EXPECT_EQ(smooth(x, y, 10), y);
}

TEST(Smooth, TwoPoints) {
    const auto out = smooth(Values{0, 10}, Values{4, 1}, 10);  // weights 1/2 and 1
    EXPECT_EQ(out[0], 4);
    EXPECT_NEAR(out[1], (0.5 * 4 + 1) / 1.5, 1e-15);
}

TEST(Smooth, AfterALongGapThePastIsForgotten) {
    EXPECT_NEAR(smooth(Values{0, 1, 1000}, Values{5, 5, 1}, 10)[2], 1, 1e-12);
}

TEST(Smooth, NothingToDoAndNothingThere) {
    const Values y{3, NAN, 1};
    EXPECT_EQ(smooth(Values{0, 1, 2}, y, 0)[0], 3);
    EXPECT_TRUE(std::isnan(smooth(Values{0, 1, 2}, y, 0)[1]));
    EXPECT_TRUE(smooth({}, {}, 5).empty());
    EXPECT_TRUE(std::isnan(smooth(Values{0}, Values{NAN}, 5)[0]));
}

TEST(Smooth, HalfLifeOfASliderDecaysByItsWeight) {
    for (const double w : {0.1, 0.6, 0.99}) EXPECT_NEAR(std::exp2(-25 / halfLifeOf(w, 25)), w, 1e-12);
    EXPECT_EQ(halfLifeOf(0, 25), 0);
    EXPECT_NEAR(smooth(Values{0, 1}, Values{4, 1}, halfLifeOf(1, 1))[1], 2.5, 1e-15)
        << "weight 1 is the plain mean";
}

/// The definition in the header, term by term.
Values medianByDefinition(const Values& x, const Values& y, double width) {
    Values out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        Values window;
        for (std::size_t j = 0; j <= i; ++j)
            if (std::isfinite(y[j]) && x[j] > x[i] - width) window.push_back(y[j]);
        std::sort(window.begin(), window.end());
        const std::size_t n = window.size();
        out.push_back(!std::isfinite(y[i]) ? NAN
                      : n % 2 == 1         ? window[n / 2]
                                           : 0.5 * window[n / 2 - 1] + 0.5 * window[n / 2]);
    }
    return out;
}

Values medians(const Values& x, const Values& y, double width) {
    WindowedMedian median(width);
    Values out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(median.add(x[i], y[i]));
    return out;
}

TEST(WindowedMedian, EqualsItsDefinitionOnIrregularPointsWithHoles) {
    RandomStream random(4, "test.median");
    Values x, y;
    double at = 0;
    for (int i = 0; i < 400; ++i) {
        x.push_back(at += random.below(6) == 0 ? 40 * random.uniform() : random.uniform());
        const auto kind = random.below(20);
        y.push_back(kind == 0 ? NAN : kind == 1 ? -INFINITY : kind < 6 ? 2.0 : random.normal());  // ties too
    }
    const Values got = medians(x, y, 7), want = medianByDefinition(x, y, 7);
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(std::isnan(got[i]), std::isnan(want[i])) << i;
        if (!std::isnan(want[i])) ASSERT_DOUBLE_EQ(got[i], want[i]) << i;
    }
}

TEST(WindowedMedian, OneOutlierLeavesNoTraceAndAConstantStays) {
    EXPECT_EQ(medians({0, 1, 2, 3, 4}, {1, 1, 1e9, 1, 1}, 3), (Values{1, 1, 1, 1, 1}));
    EXPECT_EQ(medians({0, 1, 2, 50, 51}, Values(5, 0.1), 10), Values(5, 0.1));
    EXPECT_EQ(medians({0, 1, 1000}, {5, 5, 1}, 10)[2], 1) << "a gap forgets";
    EXPECT_EQ(medians({0, 1}, {5, 1}, 0), (Values{5, 1})) << "no window, no change";
}

TEST(Smoothing, ConstantsTwoPointsAndHolesInEitherKind) {
    for (const auto kind : {Smoothing::Kind::None, Smoothing::Kind::Ema, Smoothing::Kind::Median})
        for (const double strength : {0.0, 0.5, 0.94, 0.99}) {
            const Smoothing how{kind, strength};
            const Values x{0, 10, 20, 900, 910}, constant(5, 0.1), holes{NAN, 4, INFINITY, 1, NAN};
            EXPECT_EQ(smooth(x, constant, how), constant);
            EXPECT_EQ(smooth(Values{0, 10}, Values{4, 1}, how), (Values{4, 1})) << "two points never move";
            const Values out = smooth(x, holes, how);  // two finite points as well
            EXPECT_TRUE(std::isnan(out[0]));
            EXPECT_EQ(out[1], 4);
            EXPECT_EQ(out[3], 1);
            EXPECT_TRUE(smooth({}, {}, how).empty());
        }
}

TEST(Smoothing, TheStrengthOfAMedianIsItsNumberOfPoints) {
    const auto points = [](double strength) {
        return Smoothing{Smoothing::Kind::Median, strength}.medianPoints();
    };
    EXPECT_EQ(points(0), 1);
    EXPECT_EQ(points(0.5), 3);
    EXPECT_EQ(points(0.9), 11);
    EXPECT_EQ(points(0.94), 17);  // 2 * round(0.5 / 0.06) + 1
    EXPECT_EQ(points(0.99), 101);
    // At even spacing just so many: the last of 11 ascending values has five younger and five older ones.
    Values x, y;
    for (int i = 0; i < 40; ++i) x.push_back(0.1 * i), y.push_back(i);
    EXPECT_EQ(smooth(x, y, {Smoothing::Kind::Median, 0.9}).back(), 39 - 5);
}

TEST(Smoothing, AStrengthIsWhatIsLeftToTheNextPoint) {
    const Values x{0, 25, 50}, y{4, 1, 2};
    const Values out = smooth(x, y, {Smoothing::Kind::Ema, 0.5});
    EXPECT_NEAR(out[2], (0.25 * 4 + 0.5 * 1 + 2) / 1.75, 1e-15);
}

}  // namespace
}  // namespace kurve::series
