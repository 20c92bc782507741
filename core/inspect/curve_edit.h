#pragma once

#include <memory>

#include "core/inspect/curve_model.h"

namespace kurve::inspect {

/// Control points dragged together by the same vector, and the resulting curve, its positions and their
/// nearest tokens. The curve is updated at once (points move along the axes, everything else by its weight);
/// the tokens once there is a search, which is made on a worker. GUI thread.
class CurveEdit {
public:
    using Search = std::shared_ptr<const curve::MovedNearest>;

    CurveEdit(std::shared_ptr<const CurveModel> model, int step, std::vector<int> controls);
    /// The search of a model's step: one matrix product with the whole vocabulary. For a worker; null without
    /// a vocabulary. The model must outlive it.
    [[nodiscard]] static Search searchFor(const CurveModel& model, int step);

    void setSearch(Search search);
    /// Moves the control points by this vector from their recorded positions, along the axes of the basis.
    void move(SpacePoint by);

    [[nodiscard]] int step() const { return step_; }
    [[nodiscard]] const std::vector<int>& controls() const { return controls_; }
    [[nodiscard]] bool moved() const { return by_.x != 0 || by_.y != 0 || by_.z != 0; }
    [[nodiscard]] SpacePoint by() const { return by_; }
    [[nodiscard]] const CurveModel& model() const { return *model_; }
    [[nodiscard]] const CurveStep& shown() const { return shown_; }
    /// The nearest token of the position has changed.
    [[nodiscard]] bool changed(int word) const;
    /// Row of the vocabulary nearest to the position; -1 without one.
    [[nodiscard]] int nearest(int word) const;
    /// A moved control point in all dimensions: [d].
    [[nodiscard]] std::vector<float> point(int control) const;

private:
    void decode();
    /// Movement of a position when all control points move by 1.
    [[nodiscard]] double wordWeight(int word) const;
    std::shared_ptr<const CurveModel> model_;
    int step_;
    std::vector<int> controls_;
    SpacePoint by_;
    CurveStep shown_;
    Search search_;
};

}  // namespace kurve::inspect
