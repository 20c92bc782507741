#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/frontier/front.h"
#include "core/frontier/sweep_point.h"

namespace kurve::views {

/// The points of one run as they lie in its folder, and what could not be read.
struct RunPoints {
    QString id, name;
    std::vector<frontier::SweepPoint> points;
    QStringList problems;
};

/// One curve of the plane: the points of a run at one checkpoint that have both metrics.
struct FrontCurve {
    QString runId, title;  ///< "restore-sclm" or "restore-sclm @ 6,000" if a run has several checkpoints
    std::vector<const frontier::SweepPoint*> points;
    std::vector<frontier::Dot> dots;  ///< one per point; more is better on both axes
    std::vector<std::optional<frontier::Ellipse>> ellipses;
    std::vector<std::size_t> front;
    double hypervolume = 0;  ///< above the plane's corner
    /// Diversity of the front's best dot minus the references'; nothing without references.
    std::optional<double> fromReference;
};

/// All curves for one choice of axes: of the points that were measured alike, the largest group. Refers to
/// the points it was made from.
struct Plane {
    QString quality, diversity;  ///< metric ids
    std::vector<FrontCurve> curves;
    std::optional<double> referenceDiversity;  ///< of the references, if all points agree on it
    int leftOut = 0;                  ///< points measured on other sentences or with other seeds than most
    double cornerX = 0, cornerY = 0;  ///< the worst diversity and quality of all dots: hypervolumes' corner

    [[nodiscard]] bool isEmpty() const { return curves.empty(); }
};
[[nodiscard]] Plane planeOf(const std::vector<RunPoints>& runs, const QString& quality,
                            const QString& diversity);

/// Metric ids that occur, those that most points have first; among equals 1 − self-BLEU leads.
[[nodiscard]] QStringList qualitiesOf(const std::vector<RunPoints>& runs);
[[nodiscard]] QStringList diversitiesOf(const std::vector<RunPoints>& runs);

/// What some points of all those shown have in common: "steps ≥ 32", "noise factor 1 to 2", "length beam 3".
/// A setting that takes every value among them says nothing and is left out.
[[nodiscard]] QStringList commonSettings(const std::vector<const frontier::SweepPoint*>& chosen,
                                         const std::vector<const frontier::SweepPoint*>& all);

/// "steps 8, length beam 3"; "the run's own settings" if nothing is varied.
[[nodiscard]] QString settingsText(const frontier::SweepPoint& point);

}  // namespace kurve::views
