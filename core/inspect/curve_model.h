#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/curve/projection.h"
#include "core/curve/spline.h"
#include "core/trace/trace.h"
#include "core/trace/vocabulary.h"

namespace kurve::inspect {

/// A point on the three axes of the basis.
struct SpacePoint {
    float x = 0, y = 0, z = 0;
};
using SpacePoints = std::vector<SpacePoint>;
struct PlanePoint {
    float x = 0, y = 0;
};
using PlanePoints = std::vector<PlanePoint>;

/// How a trace's latents follow from its control points.
enum class CurveKind : std::uint8_t {
    Spline,    ///< a B-spline: the curve is known between the positions
    Other,     ///< a map that is not a spline: positions are joined by straight lines
    WordsOnly  ///< no control points: every latent is its own
};

/// The directions of the axes.
enum class BasisKind : std::uint8_t {
    Pca,
    Random,
    Tokens,  ///< through three latents of the last step: from the first to the second, and to the third
    Lda      ///< the linear discriminant of two traces, and the directions of largest remaining variance
};
/// The points on which the basis is fitted (centre, directions of PCA, fractions of variance).
enum class BasisReference : std::uint8_t {
    Sentence,  ///< the latents of the last step and the candidate tokens
    ThisStep,
    LastStep,
    AllSteps,
    Targets  ///< embeddings of the target tokens
};
/// The trace of these points, if two are shown.
enum class BasisOf : std::uint8_t { A, B, Both };
struct BasisChoice {
    BasisKind kind = BasisKind::Pca;
    BasisReference reference = BasisReference::Sentence;
    BasisOf of = BasisOf::A;
    int step = 0;            ///< of ThisStep
    std::uint64_t seed = 1;  ///< of Random
    std::array<int, 3> words{0, 1, 2};
    friend bool operator==(const BasisChoice&, const BasisChoice&) = default;
};

/// The axes of a model. Their names stay with them where another trace is shown on them.
struct CurveBasis : curve::LinearBasis {
    BasisKind kind = BasisKind::Pca;   ///< Pca also where Lda has no point of A or of B
    std::array<std::string, 3> names;  ///< "PC 1", "random 2", "light → dark"
};

/// The points of one step.
struct CurveStep {
    SpacePoints controls, words;
    SpacePoints curve;             ///< kCurveSamples points of a spline; else the written positions
    std::vector<int> nearest;      ///< [words, near()] rows of the vocabulary, nearest first; empty without
    std::vector<float> residuals;  ///< [words] distance to the nearest; empty without
    std::vector<SpacePoints> curves;  ///< all predicted curves, if there are several
    std::vector<float> weights;       ///< the scorer's weight of each of them
};

/// One value per step of the trace; NaN where there is none. Those of positions leave padding out.
struct CurveStatistics {
    std::vector<float> lengthRatio;  ///< control polygon over curve, in all dimensions; >= 1 for a spline
    std::vector<float> turning;      ///< total curvature, in all dimensions: radians
    std::vector<float> residual;     ///< mean distance from a latent to the nearest embedding
    std::vector<float>
        nearestShown;  ///< fraction of positions whose nearest embedding is the token of that step
    std::vector<float> nearestTarget;  ///< fraction of positions whose nearest embedding is the target token
    std::vector<float> movement;       ///< RMS displacement of the control points since the previous step
};

/// Input of a model.
struct CurveRequest {
    std::shared_ptr<const trace::Trace> trace;
    std::shared_ptr<const trace::Vocabulary> vocabulary;  ///< null = that of the trace
    BasisChoice choice;
    /// B of `choice.of` and Lda, of the same dimensions; else these are A and Pca.
    std::shared_ptr<const trace::Trace> other;
    int curve = -1;  ///< the displayed one of several predicted curves; -1 = the selected one
    /// A given basis (of another trace in the same plot), if its dimensions fit.
    std::optional<CurveBasis> basis;
    /// The previous basis: signs of the new axes are aligned with it.
    std::optional<curve::LinearBasis> former;
};

/// The data of the sentence-curve view for a trace, on the axes of one linear basis for all steps. Computed
/// once, off the GUI thread; immutable.
class CurveModel {
public:
    static constexpr int kCurveSamples = 256;
    static constexpr int kNear = 50;  ///< nearest tokens per position

    /// Errors: curve.no_latent (the trace holds neither "curve" nor "latent"), curve.shape (blocks do not
    /// fit).
    static Result<std::shared_ptr<const CurveModel>> create(const CurveRequest& request);

    [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
    [[nodiscard]] const std::shared_ptr<const trace::Trace>& sharedTrace() const { return trace_; }
    [[nodiscard]] CurveKind kind() const { return kind_; }
    [[nodiscard]] int steps() const { return trace_->steps; }
    [[nodiscard]] int words() const { return trace_->positions; }
    [[nodiscard]] int controlPoints() const { return psi_.cols; }
    [[nodiscard]] int degree() const { return shape_.degree; }
    [[nodiscard]] int dims() const { return basis_.dims; }

    /// Curves predicted at once and mixed by a scorer; 1 for most models.
    [[nodiscard]] int curves() const { return curves_; }
    /// The displayed one; -1 = the selected one.
    [[nodiscard]] int shownCurve() const { return curve_; }
    [[nodiscard]] const CurveStep& step(int step) const { return steps_[index(step)]; }
    /// False of what follows later in the order of generation: its latent means nothing.
    [[nodiscard]] bool isWritten(int step, int word) const { return isWrittenIn(*trace_, step, word); }
    [[nodiscard]] static bool isWrittenIn(const trace::Trace& trace, int step, int word) {
        return trace.tokens.empty() || trace.tokenAt(step, word) != trace::kNoToken;
    }
    [[nodiscard]] int near() const { return near_; }
    /// Row of the vocabulary nearest to a latent in all dimensions; -1 without a vocabulary.
    [[nodiscard]] int nearest(int step, int word) const;
    /// Whether the targets are the reference's tokens (block "reference/ids"); else those of the last step.
    [[nodiscard]] bool referenceKnown() const { return referenceKnown_; }
    /// Row of the vocabulary of the position's target; -1 if unknown, or beyond the reference's end.
    [[nodiscard]] int target(int word) const { return targets_[static_cast<std::size_t>(word)]; }
    [[nodiscard]] const trace::Vocabulary* vocabulary() const { return vocabulary_.get(); }
    [[nodiscard]] const std::shared_ptr<const trace::Vocabulary>& sharedVocabulary() const {
        return vocabulary_;
    }
    [[nodiscard]] const SpacePoints& vocabularyPoints() const { return tokens_; }

    [[nodiscard]] double psi(int word, int control) const { return psi_.at(word, control); }
    /// Weight of a control point in sample `sample` of CurveStep::curve.
    [[nodiscard]] double sampleWeight(int sample, int control) const {
        return kind_ == CurveKind::Spline ? samples_.at(sample, control) : psi_.at(sample, control);
    }
    [[nodiscard]] float wordPosition(int word) const { return positions_[static_cast<std::size_t>(word)]; }
    [[nodiscard]] float greville(int control) const { return greville_[static_cast<std::size_t>(control)]; }
    /// N_j over u where it is not zero, as (u, value); empty unless kind() is Spline.
    [[nodiscard]] const PlanePoints& basisFunction(int control) const {
        return functions_[static_cast<std::size_t>(control)];
    }
    /// A control point [d], and all latents [words, d] of a step.
    [[nodiscard]] std::vector<float> controlData(int step, int control) const;
    [[nodiscard]] std::vector<float> wordData(int step) const;

    [[nodiscard]] const CurveBasis& basis() const { return basis_; }
    [[nodiscard]] const std::string& axisName(int axis) const { return basis_.names[index(axis)]; }
    /// Fraction of the reference set's variance along an axis.
    [[nodiscard]] double explained(int axis) const;
    [[nodiscard]] double explained() const { return explained(0) + explained(1); }
    [[nodiscard]] const CurveStatistics& statistics() const { return statistics_; }
    /// Bounding box of all steps, without the vocabulary.
    [[nodiscard]] SpacePoint low() const { return low_; }
    [[nodiscard]] SpacePoint high() const { return high_; }
    /// One sentence on what is shown.
    [[nodiscard]] const std::string& description() const { return description_; }

private:
    friend class CurveModelBuilder;
    CurveModel() = default;
    static std::size_t index(int step) { return static_cast<std::size_t>(step); }

    std::shared_ptr<const trace::Trace> trace_;
    std::shared_ptr<const trace::Vocabulary> vocabulary_;
    CurveKind kind_ = CurveKind::WordsOnly;
    [[nodiscard]] const float* pointsAt(int step) const;

    curve::SplineShape shape_;
    int curves_ = 1, curve_ = -1;
    curve::Matrix psi_, samples_;
    CurveBasis basis_;
    std::vector<float> positions_, greville_;
    std::vector<CurveStep> steps_;
    std::vector<PlanePoints> functions_;
    SpacePoints tokens_;
    std::vector<int> targets_;
    bool referenceKnown_ = false;
    int near_ = 0;
    CurveStatistics statistics_;
    SpacePoint low_, high_;
    std::string description_;
};

/// The spline whose map is `psi` (positions x control points) with the first position at u = margin; degree
/// and knots are derived from the map. Nothing if no clamped or unclamped uniform B-spline reproduces it.
[[nodiscard]] std::optional<curve::SplineShape> splineOf(const curve::Matrix& psi, double margin);

}  // namespace kurve::inspect
