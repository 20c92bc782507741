#include <gtest/gtest.h>

#include <cmath>

#include "core/curve/spline.h"
#include "tests/core/curve/oracle.h"

namespace kurve::curve {
namespace {

SplineShape shapeOf(const nlohmann::json& entry) {
    return {entry.at("L"), entry.at("M"), entry.at("k"), entry.value("eps", 0.01)};
}

void expectNear(const Matrix& got, const nlohmann::json& expected, double tolerance) {
    ASSERT_EQ(got.rows, static_cast<int>(expected.size()));
    for (int r = 0; r < got.rows; ++r) {
        const nlohmann::json& row = expected[static_cast<std::size_t>(r)];
        ASSERT_EQ(got.cols, static_cast<int>(row.size()));
        for (int c = 0; c < got.cols; ++c)
            EXPECT_NEAR(got.at(r, c), row[static_cast<std::size_t>(c)].get<double>(), tolerance)
                << r << "," << c;
    }
}

TEST(SplineOracle, BasisRows) {
    for (const auto& entry : oracle("basis_rows")) {
        const SplineShape shape{1, entry.at("M"), entry.at("k")};
        const std::vector<double> row = basisRow(shape, entry.at("u"));
        ASSERT_EQ(row.size(), entry.at("row").size());
        for (std::size_t j = 0; j < row.size(); ++j)
            EXPECT_NEAR(row[j], entry.at("row")[j].get<double>(), 1e-14) << entry.dump();
    }
}

TEST(SplineOracle, Matrices) {
    for (const auto& entry : oracle("matrices")) {
        SCOPED_TRACE(entry.dump().substr(0, 40));
        expectNear(psi(shapeOf(entry)), entry.at("psi"), 1e-14);
        expectNear(pseudoInverse(shapeOf(entry)), entry.at("psi_pinv"), 1e-12);
    }
}

// Ill-conditioned settings ((128,154,15) has condition 342) lose digits in the smallest eigenvalue.
void expectSpectrum(const nlohmann::json& entry) {
    SCOPED_TRACE(entry.dump());
    const SplineReport got = report(shapeOf(entry));
    const auto near = [&](double value, const char* key, double relative) {
        const double expected = entry.at(key);
        EXPECT_NEAR(value, expected, relative * std::abs(expected) + 1e-12) << key;
    };
    near(got.R_L, "R_L", 1e-10);
    near(got.R_M, "R_M", 1e-10);
    near(got.R_1, "R_1", 1e-10);
    near(got.trace, "trace", 1e-10);
    near(got.lambdaMax, "lambda_max", 1e-10);
    near(got.lambdaMin, "lambda_min", 1e-7);
    near(got.inputGain, "input_gain", 1e-7);
    near(got.neighbourCorrelation, "neighbour_corr", 1e-9);
    EXPECT_EQ(got.deadControlPoints, entry.at("dead_control_points").get<int>());
    near(got.wordsPerControlPoint, "mean_words_per_live_control_point", 1e-12);
}

TEST(SplineOracle, Spectra) {
    for (const auto& entry : oracle("spectra")) expectSpectrum(entry);
}

TEST(SplineOracle, Table3) {
    for (const auto& entry : oracle("table3")) expectSpectrum(entry);
}

struct Rule {
    double kappa = 0;
    int degree = 0;
};

Rule ruleOf(const std::string& text) {
    return text.back() == 'M' ? Rule{std::stod(text), 0} : Rule{0, std::stoi(text)};
}

// Singular values near the cut-off make some ranks fragile; the tolerances are in words.
int rankTolerance(const Rule& rule, double rho) {
    if (rule.kappa >= 0.5) return 4;
    if (rule.kappa >= 0.2) return 2;
    return rho >= 1.2 ? 0 : 2;
}

TEST(SplineOracle, ReconstructionGridAndRules) {
    for (const auto& entry : oracle("reconstruction")) {
        SCOPED_TRACE(entry.dump());
        const Rule rule = ruleOf(entry.at("rule"));
        ShapeRule shapeRule{entry.at("rho"), rule.kappa, rule.degree};
        const SplineShape shape = shapeRule.shapeFor(entry.at("L"));
        EXPECT_EQ(shape.controlPoints, entry.at("M").get<int>());
        EXPECT_EQ(shape.degree, entry.at("k").get<int>());
        const ReconstructionCell cell = reconstruction(shape);
        const int tolerance = rankTolerance(rule, shapeRule.rho);
        EXPECT_NEAR(cell.rank64, entry.at("rank_tol64").get<int>(), tolerance);
        EXPECT_NEAR(cell.rank32, entry.at("rank_tol32").get<int>(), tolerance);
        EXPECT_NEAR(cell.mse64, 1.0 - static_cast<double>(cell.rank64) / shape.words, 1e-15);
        EXPECT_NEAR(cell.mse32, 1.0 - static_cast<double>(cell.rank32) / shape.words, 1e-15);
    }
}

}  // namespace
}  // namespace kurve::curve
