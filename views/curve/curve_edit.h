#pragma once

#include <memory>

#include "views/curve/curve_model.h"

namespace kurve::views {

/// A control point that is being dragged: what the curve, its words and their nearest tokens become. The
/// curve follows at once (a point moves along the axes, everything else by its weight); the tokens follow as
/// soon as there is a search, which is made on a worker. GUI thread.
class CurveEdit {
public:
    using Search = std::shared_ptr<const curve::MovedNearest>;

    CurveEdit(std::shared_ptr<const CurveModel> model, int step, int control);
    /// The search that fits a step of a model: costs a matrix product with the whole vocabulary. For a
    /// worker; null without a vocabulary. The model must outlive it.
    [[nodiscard]] static Search searchFor(const CurveModel& model, int step);

    void setSearch(Search search);
    /// Moves the control point so far from its recorded place, along the axes of the basis.
    void move(SpacePoint by);

    [[nodiscard]] int step() const { return step_; }
    [[nodiscard]] int control() const { return control_; }
    [[nodiscard]] bool moved() const { return by_.x != 0 || by_.y != 0 || by_.z != 0; }
    [[nodiscard]] SpacePoint by() const { return by_; }
    [[nodiscard]] const CurveModel& model() const { return *model_; }
    [[nodiscard]] const CurveStep& shown() const { return shown_; }
    /// The word's nearest token is another one than before.
    [[nodiscard]] bool changed(int word) const;
    /// Row of the vocabulary that is nearest to a word now; -1 without one.
    [[nodiscard]] int nearest(int word) const;
    /// The moved control point in all dimensions: [d].
    [[nodiscard]] std::vector<float> point() const;

private:
    void decode();
    std::shared_ptr<const CurveModel> model_;
    int step_, control_;
    SpacePoint by_;
    CurveStep shown_;
    Search search_;
};

}  // namespace kurve::views
