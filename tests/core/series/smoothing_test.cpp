#include "core/series/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace kurve::series
