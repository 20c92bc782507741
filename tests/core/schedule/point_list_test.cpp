#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/schedule/free_curve.h"
#include "tests/core/schedule/random_curve.h"

namespace kurve::schedule {
namespace {

using Points = std::vector<SchedulePoint>;

Points listed(const std::string& text, PointMeaning meaning = PointMeaning::LogSnr, bool masking = false) {
    const auto points = parsePointList(text, meaning, masking);
    EXPECT_TRUE(points) << (points ? "" : points.error().text());
    return points ? *points : Points();
}

TEST(PointList, NumbersAloneAreAtEqualTimes) {
    const Points expected{{0, 12}, {0.5, 0}, {1, -12}};
    for (const char* text :
         {"12, 0, -12", "12;0;-12", "12\n0\n-12\n", " 12\t0 -12 ", "[12.0, 0e0, -1.2e1]", "12|0|-12"})
        EXPECT_EQ(listed(text), expected) << text;
}

TEST(PointList, TwoNumbersALineAreTimeAndValue) {
    const Points expected{{0, 12}, {0.25, 3}, {1, -12}};
    for (const char* text :
         {"0 12\n0.25 3\n1 -12", "0=12,0.25=3,1=-12", "0: 12, 0.25: 3, 1: -12",
          "[[0, 12],\n [0.25, 3],\n [1, -12]]", "1 -12\n0 12\n0.25 3", "0 12\n250 3\n1000 -12"})
        EXPECT_EQ(listed(text), expected) << text;
}

TEST(PointList, SpreadsheetsWithDecimalCommasAreRead) {
    const Points expected{{0, 12.5}, {0.25, 3}, {1, -12.25}};
    for (const char* text : {"0\t12,5\r\n0,25\t3\r\n1\t-12,25\r\n", "0,0;12,5\n0,25;3,0\n1,0;-12,25",
                             "0\t12.5\r\n0.25\t3\r\n1\t-12.25", "0 12.5\n0.25 3\n1 \u221212.25"})
        EXPECT_EQ(listed(text), expected) << text;
    EXPECT_EQ(listed("12,5; 0,0; -12,5"), (Points{{0, 12.5}, {0.5, 0}, {1, -12.5}}));
    EXPECT_EQ(listed("0,12\n1,0"), (Points{{0, 12}, {1, 0}})) << "time and value, as a CSV file has them";
    for (const char* text : {"12,5\n0,3\n1,2", "12,5\n0\n1,2", "0,9\n0,5\n0,1"}) {
        const auto points = parsePointList(text, PointMeaning::LogSnr);
        ASSERT_FALSE(points) << text;
        EXPECT_NE(points.error().text().find("decimal signs"), std::string::npos) << points.error().text();
    }
    const auto table = parsePointList("0\t1\t0\n0.5\t0.7\t0.7\n1\t0\t1", PointMeaning::Alpha);
    ASSERT_FALSE(table);
    EXPECT_NE(table.error().text().find("3 columns"), std::string::npos) << table.error().text();
}

TEST(PointList, EveryMeaningGivesTheLogSnr) {
    const auto at1 = [](const std::string& text, PointMeaning meaning, bool masking = false) {
        return listed(text, meaning, masking).at(1).logSnr;
    };
    EXPECT_NEAR(at1("1, 0.5, 0", PointMeaning::AlphaBar), 0, 1e-12);
    EXPECT_NEAR(at1("1, 0.9, 0", PointMeaning::AlphaBar), std::log(9.0), 1e-12);
    EXPECT_NEAR(at1("1, 0.6, 0", PointMeaning::Alpha), std::log(0.36 / 0.64), 1e-12);
    EXPECT_NEAR(at1("0, 0.6, 1", PointMeaning::Sigma), std::log(0.64 / 0.36), 1e-12);
    EXPECT_NEAR(at1("1, 0.6, 0", PointMeaning::Alpha, true), std::log(0.6 / 0.4), 1e-12);
    EXPECT_NEAR(at1("0, 0.6, 1", PointMeaning::Sigma, true), std::log(0.4 / 0.6), 1e-12);
    EXPECT_EQ(listed("1, 0.6, 0", PointMeaning::Alpha).front().logSnr, kMaxLogSnr / 2);
    EXPECT_EQ(listed("1, 0.6, 0", PointMeaning::Alpha).back().logSnr, -kMaxLogSnr / 2);
}

TEST(PointList, BetasBecomeTheirProducts) {
    const Points points = listed("0.1, 0.2, 0.5", PointMeaning::Beta);
    ASSERT_EQ(points.size(), 4u);
    EXPECT_EQ(points[0].t, 0);
    EXPECT_NEAR(points[1].t, 1.0 / 3, 1e-15);
    EXPECT_NEAR(points[1].logSnr, std::log(0.9 / 0.1), 1e-12);
    EXPECT_NEAR(points[2].logSnr, std::log(0.72 / 0.28), 1e-12);
    EXPECT_NEAR(points[3].logSnr, std::log(0.36 / 0.64), 1e-12);
}

TEST(PointList, ALongTableIsThinnedWithItsEnds) {
    std::string betas;
    for (int i = 0; i < 1000; ++i) betas += std::to_string(1e-4 + 0.0199 * i / 999) + "\n";
    const Points points = listed(betas, PointMeaning::Beta);
    EXPECT_LE(points.size(), 40u);
    EXPECT_EQ(points.back().t, 1);
    EXPECT_NEAR(points.back().logSnr, std::log(4.0358e-5), 0.01);  // abar_T of DDPM's schedule
}

TEST(PointList, ErrorsNameWhatIsWrong) {
    const auto textOf = [](const std::string& list, PointMeaning meaning = PointMeaning::LogSnr) {
        const auto points = parsePointList(list, meaning);
        return points ? std::string() : points.error().text();
    };
    EXPECT_EQ(textOf("12, many, -12").find("points: “many” is not a finite number"), 0u);
    EXPECT_NE(textOf("12, nan").find("“nan” is not a finite number"), std::string::npos);
    EXPECT_NE(textOf("12").find("1 point; give at least 2"), std::string::npos);
    EXPECT_NE(textOf("").find("0 points"), std::string::npos);
    EXPECT_NE(textOf("0=1,0.5").find("a time without a value"), std::string::npos);
    EXPECT_NE(textOf("0 1\n0 2\n1 0").find("two points at the time 0"), std::string::npos);
    EXPECT_NE(textOf("1, 2, 0", PointMeaning::Alpha).find("2 is not between 0 and 1"), std::string::npos);
    EXPECT_NE(textOf("0.1, -2", PointMeaning::Beta).find("-2 is not between 0 and 1"), std::string::npos);
}

RC_GTEST_PROP(PointListProperty, WhatIsWrittenIsReadBack, ()) {
    const FreeCurve curve = *test::anyCurve();
    const auto exact = parsePoints(pointsText(curve.points));
    RC_ASSERT(exact && *exact == curve.points);
    const auto pasted = parsePointList(pointsText(curve.points), PointMeaning::LogSnr);
    RC_ASSERT(pasted && *pasted == curve.points);
}

RC_GTEST_PROP(PointListProperty, NoTextDoesHarm, (const std::string& text)) {
    for (const auto meaning : {PointMeaning::LogSnr, PointMeaning::Beta, PointMeaning::Sigma})
        if (const auto points = parsePointList(text, meaning)) RC_ASSERT(points->size() >= 2);
    (void)parsePoints(text);
}

}  // namespace
}  // namespace kurve::schedule
