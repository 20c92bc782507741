#pragma once

#include <memory>

#include "views/curve/curve_model.h"

namespace kurve::views {

/// Control points that are being dragged together, all by the same way: what the curve, its words and their
/// nearest tokens become. The curve follows at once (the points move along the axes, everything else by its
/// weight); the tokens follow as soon as there is a search, which is made on a worker. GUI thread.
class CurveEdit {
public:
    using Search = std::shared_ptr<const curve::MovedNearest>;

    CurveEdit(std::shared_ptr<const CurveModel> model, int step, std::vector<int> controls);
    /// The search that fits a step of a model: costs a matrix product with the whole vocabulary. For a
    /// worker; null without a vocabulary. The model must outlive it.
    [[nodiscard]] static Search searchFor(const CurveModel& model, int step);

    void setSearch(Search search);
    /// Moves the control points so far from their recorded places, along the axes of the basis.
    void move(SpacePoint by);

    [[nodiscard]] int step() const { return step_; }
    [[nodiscard]] const std::vector<int>& controls() const { return controls_; }
    [[nodiscard]] bool moved() const { return by_.x != 0 || by_.y != 0 || by_.z != 0; }
    [[nodiscard]] SpacePoint by() const { return by_; }
    [[nodiscard]] const CurveModel& model() const { return *model_; }
    [[nodiscard]] const CurveStep& shown() const { return shown_; }
    /// The word's nearest token is another one than before.
    [[nodiscard]] bool changed(int word) const;
    /// Row of the vocabulary that is nearest to a word now; -1 without one.
    [[nodiscard]] int nearest(int word) const;
    /// One of the moved control points in all dimensions: [d].
    [[nodiscard]] std::vector<float> point(int control) const;

private:
    void decode();
    /// How far a word goes when all controls go by 1.
    [[nodiscard]] double wordWeight(int word) const;
    std::shared_ptr<const CurveModel> model_;
    int step_;
    std::vector<int> controls_;
    SpacePoint by_;
    CurveStep shown_;
    Search search_;
};

}  // namespace kurve::views
