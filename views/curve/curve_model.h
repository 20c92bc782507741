#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/curve/projection.h"
#include "core/curve/spline.h"
#include "core/trace/trace.h"

namespace kurve::views {

/// A place in the locked plane.
struct PlanePoint {
    float x = 0, y = 0;
};
using PlanePoints = std::vector<PlanePoint>;

/// How a trace's words follow from its control points.
enum class CurveKind : std::uint8_t {
    Spline,    ///< a B-spline: the curve between the words is known
    Other,     ///< control points with a map that is no spline: words are joined by straight lines
    WordsOnly  ///< no control points: every word stands for itself
};

/// One value per step of the trace; NaN where there is none.
struct CurveNumbers {
    std::vector<float> lengthRatio;  ///< control polygon over curve, in all dimensions; >= 1 for a spline
    std::vector<float> residual;     ///< mean distance from a word's point to the nearest embedding
    std::vector<float>
        nearestShown;  ///< share of slots whose nearest embedding is the token shown at that step
    std::vector<float> nearestFinal;  ///< share of slots whose nearest embedding is the final token
    std::vector<float> movement;      ///< RMS over control points of the way since the step before
};

/// Everything the sentence-curve view shows of a trace, in the plane of one PCA basis that is fitted once on
/// the final estimate and the trace's vocabulary and stays fixed for all steps. Computed once, off the GUI
/// thread; immutable.
class CurveModel {
public:
    static constexpr int kCurveSamples = 256;

    /// Errors: curve.no_latent (the trace holds neither "curve" nor "latent"), curve.shape (blocks do not
    /// fit).
    static Result<std::shared_ptr<const CurveModel>> create(std::shared_ptr<const trace::Trace> trace);

    [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
    [[nodiscard]] CurveKind kind() const { return kind_; }
    [[nodiscard]] int steps() const { return trace_->steps; }
    [[nodiscard]] int words() const { return trace_->slots; }
    [[nodiscard]] int controlPoints() const { return psi_.cols; }
    [[nodiscard]] int degree() const { return shape_.degree; }
    [[nodiscard]] int dims() const { return basis_.dims; }

    [[nodiscard]] const PlanePoints& controls(int step) const { return controls_[index(step)]; }
    [[nodiscard]] const PlanePoints& wordPoints(int step) const { return words_[index(step)]; }
    /// The curve itself: kCurveSamples points for a spline, the words' points otherwise.
    [[nodiscard]] const PlanePoints& curve(int step) const {
        return kind_ == CurveKind::Spline ? curves_[index(step)] : words_[index(step)];
    }
    /// Index into vocabulary() of the embedding nearest to a word's point in all dimensions; -1 without a
    /// vocabulary.
    [[nodiscard]] int nearest(int step, int word) const {
        return nearest_.empty() ? -1 : nearest_[trace_->cell(step, word)];
    }
    [[nodiscard]] const PlanePoints& vocabulary() const { return vocabulary_; }
    [[nodiscard]] std::uint32_t vocabularyId(int at) const { return ids_[static_cast<std::size_t>(at)]; }

    [[nodiscard]] double psi(int word, int control) const { return psi_.at(word, control); }
    [[nodiscard]] float wordPosition(int word) const { return positions_[static_cast<std::size_t>(word)]; }
    [[nodiscard]] float greville(int control) const { return greville_[static_cast<std::size_t>(control)]; }
    /// N_j over u where it is not zero, as (u, value); empty unless kind() is Spline.
    [[nodiscard]] const PlanePoints& basisFunction(int control) const {
        return functions_[static_cast<std::size_t>(control)];
    }

    /// Shares of variance of the plane's two axes and of both.
    [[nodiscard]] double explained(int axis) const;
    [[nodiscard]] double explained() const { return explained(0) + explained(1); }
    [[nodiscard]] const CurveNumbers& numbers() const { return numbers_; }
    /// Corners of a rectangle that holds everything of all steps, without the far vocabulary.
    [[nodiscard]] PlanePoint low() const { return low_; }
    [[nodiscard]] PlanePoint high() const { return high_; }
    /// One sentence on what is shown.
    [[nodiscard]] const std::string& description() const { return description_; }

private:
    friend class CurveModelBuilder;
    CurveModel() = default;
    static std::size_t index(int step) { return static_cast<std::size_t>(step); }

    std::shared_ptr<const trace::Trace> trace_;
    CurveKind kind_ = CurveKind::WordsOnly;
    curve::SplineShape shape_;
    curve::Matrix psi_;
    curve::LinearBasis basis_;
    std::vector<float> positions_, greville_;
    std::vector<PlanePoints> controls_, words_, curves_, functions_;
    PlanePoints vocabulary_;
    std::vector<std::uint32_t> ids_;
    std::vector<int> nearest_;
    CurveNumbers numbers_;
    PlanePoint low_, high_;
    std::string description_;
};

/// The spline whose map is `psi` (words x control points) with the first word at u = margin: degree and knots
/// are read off the map itself. Nothing if no clamped or unclamped uniform B-spline reproduces it.
[[nodiscard]] std::optional<curve::SplineShape> splineOf(const curve::Matrix& psi, double margin);

}  // namespace kurve::views
