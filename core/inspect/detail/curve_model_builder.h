#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <limits>
#include <optional>

#include "core/inspect/curve_model.h"

namespace kurve::inspect {

using CurveRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using CurveRowsView = Eigen::Map<const CurveRows>;

/// Fills a CurveModel step by step; lives only inside create().
class CurveModelBuilder {
public:
    CurveModelBuilder(CurveModel& model, const CurveRequest& request)
        : m_(model), t_(*model.trace_), request_(request) {}

    Status readBlocks();
    void fitBasis();
    void computeSteps();
    void finish();

private:
    Status readMap(const trace::Block& curve);
    void readVocabulary();
    [[nodiscard]] bool hasOther() const;
    [[nodiscard]] BasisKind basisKind() const;
    [[nodiscard]] std::vector<float> finiteRows(const std::vector<float>& points) const;
    [[nodiscard]] std::vector<float> reference() const;
    [[nodiscard]] std::vector<float> referenceOfA() const;
    [[nodiscard]] std::vector<float> referenceOfB() const;
    [[nodiscard]] std::vector<std::vector<double>> discriminants(const std::vector<float>& points) const;
    [[nodiscard]] curve::LinearBasis fitted(BasisKind kind);
    [[nodiscard]] std::vector<std::vector<double>> tokenDirections(const std::vector<float>& points);
    [[nodiscard]] std::array<std::string, 3> axisNames(BasisKind kind) const;
    void computeStep(int step, const CurveRows& controls, const CurveRows& words);
    void computeStatistics(const CurveRows& controls);
    [[nodiscard]] float movementTo(int step) const;
    [[nodiscard]] bool isPadding(int step, int word) const {
        return t_.stateAt(step, word) == trace::TokenState::Pad;
    }
    void readCurves();
    void addCurves(int step, CurveStep& out) const;
    void findNearest(int step, const CurveRows& words, CurveStep& out);
    void computeBounds();
    void sampleFunctions();
    void describe();
    [[nodiscard]] SpacePoints project(const CurveRows& points) const;
    [[nodiscard]] CurveRows wordsAt(int step) const;
    [[nodiscard]] CurveRowsView rows(int step) const;

    CurveModel& m_;
    const trace::Trace& t_;
    const CurveRequest& request_;
    const trace::Block* points_ = nullptr;                                ///< control points, or the latents
    CurveRows psi_, samples_, axes_;                                      ///< axes_: [d, 3]
    Eigen::SparseMatrix<float, Eigen::RowMajor> curvePoints_, tangents_;  ///< of the curve, including knots
    std::vector<std::optional<std::uint32_t>> targetIds_;  ///< [positions] none beyond the reference's end
    Eigen::RowVectorXf mean_;
};

[[nodiscard]] CurveRows rowsOf(const curve::Matrix& m);

/// Marks a missing value.
inline constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

}  // namespace kurve::inspect
