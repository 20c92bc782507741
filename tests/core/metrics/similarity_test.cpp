#include "core/metrics/similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kurve::metrics {
namespace {

using ::testing::ElementsAre;
using M = SimilarityMeasure;

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(std::sin(static_cast<double>((i + 1) * (seed + 7)) * 1.7) * 2);
    return values;
}

TEST(Similarity, KnownAngles) {
    const std::vector<float> states{1, 0, 0, 2, 3, 3, 0, 0};  // 0, 90 and 45 degrees, and nothing
    const auto cosine = similarity(states, 4, M::Cosine);
    EXPECT_FLOAT_EQ(cosine.at(0, 0), 1);
    EXPECT_FLOAT_EQ(cosine.at(0, 1), 0);
    EXPECT_FLOAT_EQ(cosine.at(0, 2), static_cast<float>(std::sqrt(0.5)));
    EXPECT_FLOAT_EQ(cosine.at(2, 1), static_cast<float>(std::sqrt(0.5)));
    EXPECT_FLOAT_EQ(cosine.at(3, 3), 0);
    EXPECT_FLOAT_EQ(similarity(states, 4, M::Dot).at(1, 2), 6);
}

// The common mean of all rows is in the raw cosine and not in the centred one.
TEST(Similarity, CentringTakesOffWhatAllShare) {
    const std::vector<float> states{100, 1, 100, -1};
    EXPECT_GT(similarity(states, 2, M::Cosine).at(0, 1), 0.999);
    EXPECT_NEAR(similarity(states, 2, M::CentredCosine).at(0, 1), -1, 1e-6);
}

TEST(Similarity, OneCellIsThatOfTheMatrix) {
    const auto states = noise(60, 3);  // 12 x 5
    for (const M measure : {M::Cosine, M::CentredCosine, M::Dot})
        EXPECT_NEAR(similarityOf(states, 12, {7, 2}, measure), similarity(states, 12, measure).at(7, 2), 1e-5)
            << similarityName(measure);
    EXPECT_EQ(similarityOf(std::vector<float>{0, 0, 1, 2}, 2, {0, 1}, M::Cosine), 0);
}

TEST(Similarity, SummaryOfKnownStates) {
    const std::vector<float> same{1, 2, 2, 4, 3, 6};
    const auto line = summarize(same, 3, M::Cosine);
    EXPECT_NEAR(line.meanOffDiagonal, 1, 1e-6);
    EXPECT_NEAR(line.adjacent, 1, 1e-6);
    EXPECT_NEAR(line.effectiveRank, 1, 1e-5);
    const std::vector<float> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};
    const auto free = summarize(axes, 3, M::Cosine);
    EXPECT_NEAR(free.meanOffDiagonal, 0, 1e-6);
    EXPECT_NEAR(free.effectiveRank, 3, 1e-6);
    const std::vector<float> two{2, 0, 0, 1};  // fractions 2/3 and 1/3
    EXPECT_NEAR(summarize(two, 2, M::Cosine).effectiveRank,
                std::exp(-(2.0 / 3) * std::log(2.0 / 3) - (1.0 / 3) * std::log(1.0 / 3)), 1e-6);
    EXPECT_EQ(summarize(std::vector<float>(4, 0), 2, M::Cosine).effectiveRank, 0);
    EXPECT_EQ(summarize(std::vector<float>{1, 2}, 1, M::Cosine).meanOffDiagonal, 0);
}

// CKA does not see rotations, scales and shifts, and sees other states.
TEST(Similarity, AlignmentIsBlindToRotationAndScale) {
    const auto a = noise(40, 1);  // 20 x 2
    std::vector<float> turned(40);
    for (std::size_t r = 0; r < 20; ++r) {
        turned[2 * r] = 3 * (0.6F * a[2 * r] - 0.8F * a[2 * r + 1]) + 5;
        turned[2 * r + 1] = 3 * (0.8F * a[2 * r] + 0.6F * a[2 * r + 1]) - 2;
    }
    EXPECT_NEAR(centredKernelAlignment(a, turned, 20), 1, 1e-6);
    EXPECT_LT(centredKernelAlignment(a, noise(60, 5), 20), 0.6);
    EXPECT_TRUE(std::isnan(centredKernelAlignment(a, std::vector<float>(20, 1), 20)));
}

// Against the definition with n x n kernels: <K, L> / (|K| |L|) of centred kernels.
TEST(Similarity, AlignmentAgreesWithTheKernelForm) {
    const int n = 6;
    const auto a = noise(18, 2), b = noise(24, 9);
    const auto kernel = [&](const std::vector<float>& x) {
        const std::size_t d = x.size() / n;
        std::vector<double> k(n * n), mean(n);
        double all = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t c = 0; c < d; ++c) k[i * n + j] += double{x[i * d + c]} * x[j * d + c];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                mean[i] += k[i * n + j] / n;
                all += k[i * n + j] / (n * n);
            }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) k[i * n + j] += all - mean[i] - mean[j];
        return k;
    };
    const auto k = kernel(a), l = kernel(b);
    double cross = 0, kk = 0, ll = 0;
    for (std::size_t i = 0; i < k.size(); ++i) {
        cross += k[i] * l[i];
        kk += k[i] * k[i];
        ll += l[i] * l[i];
    }
    EXPECT_NEAR(centredKernelAlignment(a, b, n), cross / std::sqrt(kk * ll), 1e-6);
}

TEST(Similarity, LikeRowsComeTogether) {
    std::vector<float> states;  // two kinds, in turns
    for (int i = 0; i < 8; ++i) {
        states.push_back(i % 2 == 0 ? 1.0F : 0.1F);
        states.push_back(i % 2 == 0 ? 0.1F : 1.0F);
    }
    EXPECT_THAT(seriation(similarity(states, 8, M::Cosine)), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
    EXPECT_THAT(seriation(similarity({states.data(), 4}, 2, M::Cosine)), ElementsAre(0, 1));
}

}  // namespace
}  // namespace kurve::metrics
