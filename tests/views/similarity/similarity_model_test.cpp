#include "core/inspect/state_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/chunk_trace.h"
#include "tests/support/gui_app.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/trace_declarations.h"
#include "views/similarity/matrix_picture.h"
#include "views/states/similarity_overview.h"

namespace kurve::views {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;

/// The synthetic trace with two layers of 3 states and attention of two heads.
std::shared_ptr<const trace::Trace> traceWithLayers() {
    auto made = std::make_shared<trace::Trace>(test::syntheticTrace({4, 2}));
    made->blocks["hidden/1"] = {{2, 3, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}};
    made->blocks["hidden/2"] = {{2, 3, 1}, {1, 2, 3, 3, 2, 1}};
    made->blocks["attention/1"] = {{2, 2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}};
    made->blocks["psi"] = {{4, 8}, std::vector<float>(32)};
    return made;
}

TEST(StateSource, ASpaceTokenIsVisible) {
    auto made =
        std::make_shared<trace::Trace>(test::syntheticTrace({.words = 4, .steps = 2, .curve = false}));
    made->tokenTexts[made->tokens[made->cell(0, 1)]] = "\u2581";
    const inspect::StateSource source(made, "");
    EXPECT_EQ(source.labels(0, 0).at(1), "␣");
}

QStringList titles(const inspect::StateSource& source) {
    QStringList all;
    for (const auto& layer : source.layers()) all << QString::fromStdString(layer.title);
    return all;
}

TEST(SimilarityModel, FindsComparableLayers) {
    const inspect::StateSource source(traceWithLayers(), "run");
    EXPECT_TRUE(source.hasHidden());
    EXPECT_THAT(titles(source),
                ::testing::IsSupersetOf({QString("layer 1"), QString("layer 2"), QString("estimate"),
                                         QString("control points"), QString("attention 1")}));
    EXPECT_LT(titles(source).indexOf("layer 1"), titles(source).indexOf("estimate"));
    EXPECT_FALSE(titles(source).contains("psi"));
}

TEST(SimilarityModel, MatricesOfKnownStates) {
    const inspect::StateSource source(traceWithLayers(), "run");
    const int layer = static_cast<int>(titles(source).indexOf("layer 1"));
    const auto cosine = source.matrix(layer, 0, inspect::MatrixKind::Cosine);
    EXPECT_FLOAT_EQ(cosine.at(0, 1), 0);
    EXPECT_FLOAT_EQ(cosine.at(0, 2), std::sqrt(0.5F));
    EXPECT_FLOAT_EQ(source.matrix(layer, 1, inspect::MatrixKind::Dot).at(2, 2), 8);
    const int attention = static_cast<int>(titles(source).indexOf("attention 1"));
    EXPECT_THAT(source.matrix(attention, 0, inspect::MatrixKind::Cosine).values,
                ElementsAre(0.5, 0.5, 0.5, 0.5));
}

TEST(SimilarityModel, OneHeadOfAttention) {
    const auto trace = traceWithLayers();
    const inspect::StateSource mean(trace, "run"), second(trace, "run", 1), none(trace, "run", 2);
    const int attention = static_cast<int>(titles(mean).indexOf("attention 1"));
    EXPECT_EQ(mean.heads(), 2);
    EXPECT_THAT(second.matrix(attention, 0, inspect::MatrixKind::Cosine).values, ElementsAre(0, 1, 1, 0));
    EXPECT_EQ(second.pair(attention, 0, inspect::MatrixKind::Cosine, 0, 1), 1);
    EXPECT_THAT(second.matrix(attention, 1, inspect::MatrixKind::Cosine).values, ElementsAre(1, 0, 1, 0));
    EXPECT_THAT(none.matrix(attention, 0, inspect::MatrixKind::Cosine).values,
                ElementsAre(0.5, 0.5, 0.5, 0.5))
        << "a head that the layer does not have";
    EXPECT_EQ(second.attentionName(attention), "Attention, head 2");
    EXPECT_EQ(none.attentionName(attention), "Attention, mean of the heads");
    MatrixRequest request;
    request.a = {std::make_shared<const inspect::StateSource>(trace, "run", 1), attention, 0};
    EXPECT_TRUE(matrixPictureOf(request).title.startsWith("Attention, head 2"));
}

TEST(SimilarityModel, AlignsLayersOfEqualLength) {
    const inspect::StateSource source(traceWithLayers(), "run");
    const int layer = static_cast<int>(titles(source).indexOf("layer 1"));
    EXPECT_THAT(source.alignable(layer), ElementsAre(layer, titles(source).indexOf("layer 2")));
    const auto matrix = source.matrix(layer, 0, inspect::MatrixKind::LayerAlignment);
    EXPECT_EQ(matrix.n, 2);
    EXPECT_NEAR(matrix.at(0, 0), 1, 1e-5);
    EXPECT_FLOAT_EQ(matrix.at(0, 1), matrix.at(1, 0));
}

TEST(SimilarityModel, ComparesStepsByTheMeanCosineOfARow) {
    const auto trace = traceWithLayers();
    const inspect::StateSource source(trace, "run");
    // The states of layer 1 are twice those of the step before: same direction. In one number a row all
    // agree.
    for (const char* title : {"layer 1", "layer 2"})
        EXPECT_THAT(
            source
                .matrix(static_cast<int>(titles(source).indexOf(title)), 1, inspect::MatrixKind::BetweenSteps)
                .values,
            Each(FloatEq(1)))
            << title;
    auto turned = std::make_shared<trace::Trace>(*trace);
    turned->blocks["condition/1"] = {{2, 4, 2}, {1, 0, 1, 0, 3, 0, 0, 1, 0, 1, 1, 1, -1, 0, 0, 1}};
    const auto states = std::make_shared<const inspect::StateSource>(turned, "run");
    const int layer = static_cast<int>(titles(*states).indexOf("source layer 0"));
    const auto matrix = states->matrix(layer, 0, inspect::MatrixKind::BetweenSteps);
    ASSERT_EQ(matrix.n, 2);
    EXPECT_FLOAT_EQ(matrix.at(0, 1), (0 + std::sqrt(0.5F) - 1 + 1) / 4);
    EXPECT_FLOAT_EQ(matrix.at(1, 1), 1);

    MatrixRequest request;
    request.a = {states, layer, 0};
    request.kind = inspect::MatrixKind::BetweenSteps;
    EXPECT_EQ(matrixPictureOf(request).content.labels, (QStringList{"step 1", "step 2"}));
    // B has fewer rows than A, and as many steps.
    request.b = inspect::MatrixCell{states, static_cast<int>(titles(*states).indexOf("layer 1")), 1};
    request.mode = MatrixMode::Difference;
    const auto picture = matrixPictureOf(request);
    ASSERT_EQ(picture.content.b.n, 2);
    EXPECT_THAT(picture.content.b.values, Each(FloatEq(1)));
}

TEST(SimilarityModel, TheSourceHasRowsOfItsOwnThoughItIsAsLong) {
    auto made = std::make_shared<trace::Trace>(*traceWithLayers());
    made->blocks["condition/0"] = {{2, 4, 1}, std::vector<float>(8, 1)};
    ASSERT_EQ(made->positions, 4);
    const inspect::StateSource source(made, "run");
    const int layer = static_cast<int>(titles(source).indexOf("source input"));
    EXPECT_THAT(source.labels(layer, 0), ElementsAre("s1", "s2", "s3", "s4"));
    EXPECT_THAT(source.alignable(layer), ElementsAre(layer));
    EXPECT_THAT(source.repeated(layer, 0), Each(false));
}

TEST(SimilarityModel, NamesRowsByTokensOrControlPoints) {
    const auto trace = traceWithLayers();
    const inspect::StateSource source(trace, "run");
    EXPECT_THAT(source.labels(static_cast<int>(titles(source).indexOf("layer 1")), 0),
                ElementsAre("c1", "c2", "c3"));
    EXPECT_EQ(source.labels(static_cast<int>(titles(source).indexOf("estimate")), 0).size(),
              trace->positions);
}

TEST(SimilarityModel, MarksRepeatedTokens) {
    auto trace = std::make_shared<trace::Trace>(*traceWithLayers());
    for (int position = 0; position < 4; ++position)
        trace->tokens[trace->cell(0, position)] = position == 2 ? 5 : static_cast<unsigned>(5 + position);
    const inspect::StateSource source(trace, "run");
    EXPECT_THAT(source.repeated(static_cast<int>(titles(source).indexOf("estimate")), 0),
                ElementsAre(true, false, true, false));
}

/// Four positions, two of them masked and equal; a row of states per position.
std::shared_ptr<trace::Trace> traceWithMasks() {
    auto made = std::make_shared<trace::Trace>(test::syntheticTrace({4, 2}));
    using S = trace::TokenState;
    const S states[] = {S::Kept, S::Remask, S::Remask, S::Flip, S::Kept, S::Kept, S::Kept, S::Kept};
    for (std::size_t i = 0; i < 8; ++i) made->state[i] = static_cast<std::uint8_t>(states[i]);
    test::declareMasks(*made);
    made->blocks["hidden/1"] = {{2, 4, 2}, {1, 0, 5, 5, 5, 5, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}};
    return made;
}

TEST(SimilarityModel, ChunksAreComparedByTheirVectors) {
    auto chunks = std::make_shared<trace::Trace>(test::chunkTrace());
    const inspect::StateSource bare(chunks, "run");
    ASSERT_EQ(bare.layers().size(), 1U);
    EXPECT_THAT(bare.labels(0, 0), ElementsAre("0", "1", "2"));
    EXPECT_EQ(bare.matrix(0, 0, inspect::MatrixKind::Cosine).n, 3);
    EXPECT_THAT(bare.repeated(0, 0), ElementsAre(false, false, false)) << "no texts are known";
    trace::joinTexts(*chunks);
    const inspect::StateSource source(chunks, "run");
    EXPECT_EQ(source.labels(0, 5)[0], "a b");
}

TEST(SimilarityModel, MaskedPositionsCanBeGreyOrExcluded) {
    const auto source = std::make_shared<const inspect::StateSource>(traceWithMasks(), "run");
    const int layer = static_cast<int>(titles(*source).indexOf("layer 1"));
    EXPECT_TRUE(source->anyMasked());
    EXPECT_THAT(source->unmasked(layer, 0), ElementsAre(0, 3));
    EXPECT_THAT(source->unmasked(layer, 1), ElementsAre(0, 1, 2, 3));
    MatrixRequest request;
    request.a = {source, layer, 0};
    EXPECT_EQ(matrixPictureOf(request).content.a.n, 4);
    request.masked = inspect::MaskedPositions::Excluded;
    const auto small = matrixPictureOf(request).content;
    EXPECT_THAT(small.a.values, ElementsAre(1, 0, 0, 1));
    EXPECT_THAT(small.order, ElementsAre(0, 3));
    EXPECT_EQ(small.labels.size(), 2);
    request.masked = inspect::MaskedPositions::Grey;
    const auto grey = matrixPictureOf(request).content;
    ASSERT_EQ(grey.a.n, 4);
    EXPECT_TRUE(std::isnan(grey.a.at(1, 2)));
    EXPECT_EQ(grey.a.at(0, 3), 0);
    request.b = inspect::MatrixCell{source, layer, 1};
    EXPECT_TRUE(std::isnan(matrixPictureOf(request).content.b.at(1, 2))) << "masked in A";
    request.order = RowOrder::Similarity;
    EXPECT_THAT(matrixPictureOf(request).content.order, ::testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST(SimilarityModel, MeansOfTheUnmaskedPositionsOnly) {
    const inspect::StateSource source(traceWithMasks(), "run");
    const auto layer = static_cast<std::size_t>(titles(source).indexOf("layer 1"));
    const auto at = [&](inspect::MaskedPositions masked) {
        return overviewOf(source, {inspect::MatrixKind::Cosine, masked}, {}).layers[layer];
    };
    // Six pairs: the two axes are orthogonal, the masks equal, and each mask lies between the axes.
    EXPECT_NEAR(at(inspect::MaskedPositions::Included).meanOffDiagonal[0], (1 + 4 * std::sqrt(0.5)) / 6,
                1e-6);
    EXPECT_NEAR(at(inspect::MaskedPositions::Excluded).meanOffDiagonal[0], 0, 1e-6);
    EXPECT_NEAR(at(inspect::MaskedPositions::Grey).effectiveRank[0], 2, 1e-5);
    EXPECT_TRUE(std::isnan(at(inspect::MaskedPositions::Grey).adjacent[0])) << "no two neighbours are left";
    EXPECT_NEAR(at(inspect::MaskedPositions::Grey).adjacent[1],
                at(inspect::MaskedPositions::Included).adjacent[1], 1e-6);
    PairRequest pair{std::make_shared<const inspect::StateSource>(traceWithMasks(), "run"),
                     static_cast<int>(layer),
                     inspect::MatrixKind::Cosine,
                     0,
                     1,
                     inspect::MaskedPositions::Grey};
    const PairLines lines = pairLinesOf(pair);
    const auto line = lines.values[static_cast<std::size_t>(lines.layers.indexOf("layer 1"))];
    EXPECT_TRUE(std::isnan(line[0]));
    EXPECT_EQ(line[1], 0);
}

TEST(SimilarityModel, RepeatedTokensAreThoseOfThePositionsThatCount) {
    auto trace = traceWithMasks();
    trace->tokens = {1, 9, 9, 2, 3, 3, 4, 4};
    const auto repeated = [&](inspect::MaskedPositions masked) {
        return overviewOf(inspect::StateSource(trace, ""), {inspect::MatrixKind::Cosine, masked, false}, {})
            .repeatedTokens;
    };
    EXPECT_THAT(repeated(inspect::MaskedPositions::Included), ElementsAre(1 / 3.0, 2 / 3.0));
    EXPECT_THAT(repeated(inspect::MaskedPositions::Excluded), ElementsAre(::testing::IsNan(), 2 / 3.0));
    for (const std::size_t cell : {6U, 7U})
        trace->state[cell] = static_cast<std::uint8_t>(trace::TokenState::Pad);
    EXPECT_THAT(repeated(inspect::MaskedPositions::Included), ElementsAre(1 / 3.0, 1))
        << "not of the padding";
}

TEST(SimilarityModel, PaddingIsInNoMean) {
    using S = trace::TokenState;
    auto made = std::make_shared<trace::Trace>();
    made->steps = 2;
    made->positions = 3;
    made->tokens = {1, 2, 3, 1, 2, 3};
    for (const S state : {S::New, S::New, S::Pad, S::Kept, S::Kept, S::Pad})
        made->state.push_back(static_cast<std::uint8_t>(state));
    made->blocks["hidden/1"] = {{2, 3, 2}, {1, 0, 0, 1, 1, 1, 1, 0, 0, 1, -1, -1}, false};
    made->blocks["hidden/2"] = {{2, 3, 2}, {0, 2, 2, 0, 9, 9, 0, 2, 2, 0, 9, 9}, false};
    const inspect::StateSource source(made, "run");
    const auto layer = titles(source).indexOf("layer 1");
    const LayerSummary found =
        overviewOf(source, {.pictures = false}, {}).layers[static_cast<std::size_t>(layer)];
    EXPECT_THAT(found.meanOffDiagonal, Each(::testing::DoubleNear(0, 1e-6)));
    EXPECT_THAT(found.adjacent, Each(::testing::DoubleNear(0, 1e-6)));
    EXPECT_NEAR(found.effectiveRank[0], 2, 1e-5);
    const auto at = [&](inspect::MatrixKind kind) {
        return source.matrix(static_cast<int>(layer), 0, kind).at(0, 1);
    };
    EXPECT_NEAR(at(inspect::MatrixKind::BetweenSteps), 1, 1e-6) << "the tokens stay";
    EXPECT_NEAR(at(inspect::MatrixKind::LayerAlignment), 1, 1e-5) << "two points are always alike";
}

TEST(SimilarityModel, ThumbnailsOfProductsAreScaledToTheirLayer) {
    test::guiApp();
    const inspect::StateSource source(traceWithLayers(), "run");
    const auto layer = static_cast<std::size_t>(titles(source).indexOf("layer 2"));  // 1 … 9 at both steps
    const auto made = overviewOf(source, {inspect::MatrixKind::Dot, inspect::MaskedPositions::Included}, {});
    QImage small = made.thumbnails[layer][0];
    small.setColorTable(matrixColorTable());
    EXPECT_NE(small.pixel(1, 0), small.pixel(2, 1)) << "2 and 6 would both be full colour";
    EXPECT_EQ(small.pixel(1, 2), matrixColors(6).of(6));
}

TEST(SimilarityModel, TheTitleHasMeasureAndScale) {
    MatrixRequest request;
    request.a = {std::make_shared<const inspect::StateSource>(traceWithLayers(), "run"), 0, 0};
    request.kind = inspect::MatrixKind::CentredCosine;
    EXPECT_TRUE(matrixPictureOf(request).title.startsWith("Centred cosine, scale ±1"))
        << matrixPictureOf(request).title.toStdString();
    EXPECT_EQ(matrixPictureOf(request).content.measure, "Centred cosine, scale ±1");
}

/// A trace of one step whose tokens are the letters of `text`, with a state for each: `shift` turns them.
std::shared_ptr<const inspect::StateSource> lettersOf(const std::string& text, float shift,
                                                      const char* prompt = "p") {
    auto made = std::make_shared<trace::Trace>();
    made->steps = 1;
    made->positions = static_cast<int>(text.size());
    trace::Block states{{1, made->positions, 2}, {}, false};
    for (const char letter : text) {
        made->tokens.push_back(static_cast<std::uint32_t>(letter));
        made->state.push_back(static_cast<std::uint8_t>(trace::TokenState::New));
        made->tokenTexts[static_cast<std::uint32_t>(letter)] = std::string(1, letter);
        const float angle = shift * static_cast<float>(letter);
        for (const float value : {std::cos(angle), std::sin(angle)}) states.data.push_back(value);
    }
    made->blocks["hidden/1"] = states;
    made->meta["prompt"] = prompt;
    return std::make_shared<inspect::StateSource>(made, text);
}

TEST(SimilarityModel, TextsOfDifferentLengthsAreComparedOnCommonTokens) {
    MatrixRequest request;
    request.a = {lettersOf("abcxde", 0.3F), 0, 0};
    request.b = inspect::MatrixCell{lettersOf("yabde", 0.7F), 0, 0};
    request.mode = MatrixMode::Difference;
    const MatrixPicture both = matrixPictureOf(request);
    EXPECT_EQ(both.content.mode, MatrixMode::Difference);
    EXPECT_EQ(both.content.labels.join(QString()), QStringLiteral("abde"));
    EXPECT_THAT(both.content.order, ElementsAre(0, 1, 4, 5)) << "rows of A";
    ASSERT_EQ(both.content.b.n, 4);
    EXPECT_NEAR(both.content.a.at(1, 2), std::cos(0.3 * 2), 1e-4) << "b and d";
    EXPECT_NEAR(both.content.b.at(1, 2), std::cos(0.7 * 2), 1e-4);
    EXPECT_TRUE(both.title.contains(QStringLiteral("4 common tokens of 6 and 5")));

    request.b = inspect::MatrixCell{lettersOf("yabde", 0.7F, "another prompt"), 0, 0};
    const MatrixPicture alone = matrixPictureOf(request);
    EXPECT_EQ(alone.content.mode, MatrixMode::A);
    EXPECT_EQ(alone.content.a.n, 6);
    EXPECT_EQ(alone.content.b.n, 0);
    EXPECT_TRUE(alone.title.contains(QStringLiteral("A is shown")));
}

TEST(SimilarityModel, ControlPointsOfDifferentCurvesAreNotCommonTokens) {
    const auto curveOf = [](int words) {
        return std::make_shared<const inspect::StateSource>(
            std::make_shared<trace::Trace>(test::syntheticTrace({.words = words, .steps = 2})), "run");
    };
    MatrixRequest request;
    request.a = {curveOf(6), 0, 0};
    request.b = inspect::MatrixCell{curveOf(5), 0, 0};
    request.mode = MatrixMode::Difference;
    for (const auto* cell : {&request.a, &*request.b})
        ASSERT_EQ(cell->source->layers()[0].title, "control points");
    const MatrixPicture picture = matrixPictureOf(request);
    EXPECT_FALSE(picture.title.contains("common tokens")) << picture.title.toStdString();
    EXPECT_TRUE(picture.title.contains("different sizes")) << picture.title.toStdString();
    EXPECT_EQ(picture.content.mode, MatrixMode::A);
}

TEST(SimilarityModel, DifferencesNeedEqualSizes) {
    const metrics::SimilarityMatrix a{2, {1, 2, 3, 4}}, b{2, {1, 1, 1, 1}}, c{1, {1}};
    EXPECT_THAT(inspect::differenceOf(a, b).values, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(inspect::differenceOf(a, c).n, 0);
    EXPECT_FLOAT_EQ(static_cast<float>(inspect::robustScale({2, {9, -0.5F, 0.25F, 9}})), 0.25F);
    EXPECT_EQ(inspect::robustScale({1, {7}}), 1);
    EXPECT_THAT(inspect::ordered(a, {1, 0}).values, ElementsAre(4, 3, 2, 1));
}

}  // namespace
}  // namespace kurve::views
