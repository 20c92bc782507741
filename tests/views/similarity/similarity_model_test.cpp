#include "views/similarity/similarity_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace kurve::views {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

/// The made-up trace with two layers of 3 states and attention of two heads.
std::shared_ptr<const trace::Trace> traceWithLayers() {
    auto made = std::make_shared<trace::Trace>(test::syntheticTrace({4, 2}));
    made->blocks["hidden/1"] = {{2, 3, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}};
    made->blocks["hidden/2"] = {{2, 3, 1}, {1, 2, 3, 3, 2, 1}};
    made->blocks["attention/1"] = {{2, 2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}};
    made->blocks["psi"] = {{4, 8}, std::vector<float>(32)};
    return made;
}

QStringList titles(const StateSource& source) {
    QStringList all;
    for (const auto& layer : source.layers()) all << layer.title;
    return all;
}

TEST(SimilarityModel, FindsWhatCanBeCompared) {
    const StateSource source(traceWithLayers(), "run");
    EXPECT_TRUE(source.hasHidden());
    EXPECT_THAT(titles(source),
                ::testing::IsSupersetOf({QString("layer 1"), QString("layer 2"), QString("estimate"),
                                         QString("control points"), QString("attention 1")}));
    EXPECT_LT(titles(source).indexOf("layer 1"), titles(source).indexOf("estimate"));
    EXPECT_FALSE(titles(source).contains("psi"));
}

TEST(SimilarityModel, MatricesOfKnownStates) {
    const StateSource source(traceWithLayers(), "run");
    const int layer = static_cast<int>(titles(source).indexOf("layer 1"));
    const auto cosine = source.matrix(layer, 0, MatrixKind::Cosine);
    EXPECT_FLOAT_EQ(cosine.at(0, 1), 0);
    EXPECT_FLOAT_EQ(cosine.at(0, 2), std::sqrt(0.5F));
    EXPECT_FLOAT_EQ(source.matrix(layer, 1, MatrixKind::Dot).at(2, 2), 8);
    const int attention = static_cast<int>(titles(source).indexOf("attention 1"));
    EXPECT_THAT(source.matrix(attention, 0, MatrixKind::Cosine).values, ElementsAre(0.5, 0.5, 0.5, 0.5));
}

TEST(SimilarityModel, AlignsLayersOfEqualLength) {
    const StateSource source(traceWithLayers(), "run");
    const int layer = static_cast<int>(titles(source).indexOf("layer 1"));
    EXPECT_THAT(source.alignable(layer), ElementsAre(layer, titles(source).indexOf("layer 2")));
    const auto matrix = source.matrix(layer, 0, MatrixKind::LayerAlignment);
    EXPECT_EQ(matrix.n, 2);
    EXPECT_NEAR(matrix.at(0, 0), 1, 1e-5);
    EXPECT_FLOAT_EQ(matrix.at(0, 1), matrix.at(1, 0));
}

TEST(SimilarityModel, NamesRowsByWordsOrControlPoints) {
    const auto trace = traceWithLayers();
    const StateSource source(trace, "run");
    EXPECT_EQ(source.labels(static_cast<int>(titles(source).indexOf("layer 1")), 0),
              (QStringList{"c1", "c2", "c3"}));
    EXPECT_EQ(source.labels(static_cast<int>(titles(source).indexOf("estimate")), 0).size(), trace->slots);
}

TEST(SimilarityModel, MarksWordsThatStandTwice) {
    auto trace = std::make_shared<trace::Trace>(*traceWithLayers());
    for (int slot = 0; slot < 4; ++slot)
        trace->tokens[trace->cell(0, slot)] = slot == 2 ? 5 : static_cast<unsigned>(5 + slot);
    const StateSource source(trace, "run");
    EXPECT_THAT(source.repeated(static_cast<int>(titles(source).indexOf("estimate")), 0),
                ElementsAre(true, false, true, false));
}

TEST(SimilarityModel, DifferencesNeedEqualSizes) {
    const metrics::SimilarityMatrix a{2, {1, 2, 3, 4}}, b{2, {1, 1, 1, 1}}, c{1, {1}};
    EXPECT_THAT(differenceOf(a, b).values, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(differenceOf(a, c).n, 0);
    EXPECT_FLOAT_EQ(static_cast<float>(robustScale({2, {9, -0.5F, 0.25F, 9}})), 0.25F);
    EXPECT_EQ(robustScale({1, {7}}), 1);
    EXPECT_THAT(ordered(a, {1, 0}).values, ElementsAre(4, 3, 2, 1));
}

}  // namespace
}  // namespace kurve::views
