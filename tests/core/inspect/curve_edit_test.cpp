#include "core/inspect/curve_edit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace kurve::inspect {
namespace {

std::shared_ptr<const CurveModel> modelOf(trace::Trace trace, const CurveModel* former = nullptr) {
    CurveRequest request;
    request.trace = std::make_shared<trace::Trace>(std::move(trace));
    if (former != nullptr) request.basis = former->basis();
    auto model = CurveModel::create(request);
    if (!model) throw std::runtime_error(model.error().text());
    return *model;
}

void expectSame(const SpacePoints& a, const SpacePoints& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_LT(std::hypot(a[i].x - b[i].x, a[i].y - b[i].y, a[i].z - b[i].z), 1e-3F) << i;
}

/// Compares with a model of the trace with the moved control points.
void expectEqualsAFreshModel(const trace::Trace& recorded, int step, const std::vector<int>& controls,
                             SpacePoint by) {
    const auto model = modelOf(recorded);
    CurveEdit edit(model, step, controls);
    edit.setSearch(CurveEdit::searchFor(*model, step));
    edit.move(by);
    trace::Trace moved = recorded;
    const char* block = model->kind() == CurveKind::WordsOnly ? "latent" : "curve";
    auto& data = moved.blocks[block].data;
    for (const int control : controls) {
        const std::vector<float> point = edit.point(control);
        std::copy(point.begin(), point.end(),
                  data.begin() + (step * model->controlPoints() + control) * model->dims());
    }
    const auto fresh = modelOf(moved, model.get());
    expectSame(edit.shown().controls, fresh->step(step).controls);
    expectSame(edit.shown().words, fresh->step(step).words);
    expectSame(edit.shown().curve, fresh->step(step).curve);
    int changed = 0;
    for (int word = 0; word < model->words(); ++word) {
        EXPECT_EQ(edit.nearest(word), fresh->nearest(step, word)) << word;
        EXPECT_EQ(edit.changed(word), fresh->nearest(step, word) != model->nearest(step, word));
        changed += edit.changed(word) ? 1 : 0;
    }
    EXPECT_GT(changed, 0) << "the move must change a token";
}

TEST(CurveEdit, EqualsAModelOfTheMovedControlPoint) {
    expectEqualsAFreshModel(test::syntheticTrace({.words = 20, .steps = 5}), 3, {11}, {14, -11, 6});
}

TEST(CurveEdit, SeveralControlPointsMoveTogether) {
    expectEqualsAFreshModel(test::syntheticTrace({.words = 20, .steps = 5}), 3, {11, 12, 20}, {9, -7, 4});
}

TEST(CurveEdit, MovesPositionsWithoutACurve) {
    expectEqualsAFreshModel(test::syntheticTrace({.words = 12, .steps = 4, .curve = false}), 2, {5},
                            {-5, 4, 0});
}

TEST(CurveEdit, MovedBackNothingHasChanged) {
    const auto model = modelOf(test::syntheticTrace({.words = 20, .steps = 5}));
    CurveEdit edit(model, 2, {7});
    edit.setSearch(CurveEdit::searchFor(*model, 2));
    edit.move({6, 6, 0});
    EXPECT_TRUE(edit.moved());
    edit.move({0, 0, 0});
    EXPECT_FALSE(edit.moved());
    expectSame(edit.shown().curve, model->step(2).curve);
    for (int word = 0; word < model->words(); ++word) EXPECT_FALSE(edit.changed(word));
    EXPECT_EQ(edit.point(7), model->controlData(2, 7));
}

TEST(CurveEdit, MovesBeforeTheSearchIsThere) {
    const auto model = modelOf(test::syntheticTrace({.words = 20, .steps = 5}));
    CurveEdit edit(model, 2, {7});
    edit.move({6, 6, 0});
    EXPECT_NEAR(edit.shown().controls[7].x, model->step(2).controls[7].x + 6, 1e-4);
    for (int word = 0; word < model->words(); ++word) EXPECT_FALSE(edit.changed(word));
    CurveEdit other(model, 2, {7});
    other.setSearch(CurveEdit::searchFor(*model, 2));
    other.move({6, 6, 0});
    edit.setSearch(CurveEdit::searchFor(*model, 2));  // decodes the earlier move
    EXPECT_EQ(edit.shown().nearest, other.shown().nearest);
}

}  // namespace
}  // namespace kurve::inspect
