#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/frontier/front.h"
#include "core/frontier/sweep_point.h"

namespace kurve::frontier {

/// The points of one run.
struct PlaneRun {
    std::string id, name;
    std::span<const SweepPoint> points;
};

/// One curve of a plane: the points of a run at one checkpoint that have both metrics.
struct PlaneCurve {
    std::size_t run = 0;    ///< among the given ones
    std::int64_t step = 0;  ///< of the checkpoint
    bool alone = true;      ///< the run has no other checkpoint in the plane
    std::vector<const SweepPoint*> points;
    std::vector<PlanePoint> planePoints;  ///< one per point
    std::vector<std::optional<Ellipse>> ellipses;
    std::vector<std::size_t> front;
    double hypervolume = 0;  ///< above the plane's corner
    /// Diversity of the front's best point minus the references'; nothing without references.
    std::optional<double> fromReference;
};

/// All curves for one choice of axes: of the points with equal evaluation settings (sentences, references,
/// number of seeds, scorer), the largest group, of groups of one size that of most sentences. Refers to the
/// points it was made from.
struct FrontPlane {
    std::vector<PlaneCurve> curves;
    double direction = 1;  ///< of the quality: the planePoints' y is direction times its value
    std::optional<double> referenceDiversity;  ///< of the references, if all points agree on it
    /// The scorer's quality of the references, if all points agree on it.
    std::optional<double> referenceQuality;
    int leftOut = 0;                  ///< points with other evaluation settings than most
    double cornerX = 0, cornerY = 0;  ///< the worst diversity and quality of all points: hypervolumes' corner
};
[[nodiscard]] FrontPlane frontPlane(std::span<const PlaneRun> runs, const std::string& quality,
                                    const std::string& diversity);

/// Metric ids that occur, those that most points have first; among equals 1 − self-BLEU leads, and generative
/// perplexity, which rewards repetition, comes after all others.
[[nodiscard]] std::vector<std::string> qualitiesOf(std::span<const PlaneRun> runs);
[[nodiscard]] std::vector<std::string> diversitiesOf(std::span<const PlaneRun> runs);

}  // namespace kurve::frontier
