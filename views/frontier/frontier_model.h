#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/frontier/plane.h"

namespace kurve::views {

/// The points of one run as they lie in its folder, and what could not be read.
struct RunPoints {
    QString id, name;
    std::vector<frontier::SweepPoint> points;
    QStringList problems;
};

/// A curve with the names it is shown by.
struct FrontCurve : frontier::PlaneCurve {
    QString runId;
    QString title;  ///< "restore-sclm" or "restore-sclm @ 6,000" (@ avg5) if a run has several checkpoints
};

/// frontier::FrontPlane for the window. Refers to the points it was made from.
struct Plane {
    QString quality, diversity;  ///< metric ids
    std::vector<FrontCurve> curves;
    double direction = 1;                      ///< of the quality: -1 where lower is better
    std::optional<double> referenceDiversity;  ///< of the references, if all points agree on it
    std::optional<double> referenceQuality;    ///< of the references, by a scorer
    int leftOut = 0;                           ///< points with other evaluation settings than most
    double cornerX = 0, cornerY = 0;  ///< the worst diversity and quality of all points: hypervolumes' corner

    /// A curve's point in real values.
    [[nodiscard]] QPointF values(const frontier::PlanePoint& point) const {
        return {point.x, direction * point.y};
    }
    [[nodiscard]] bool isEmpty() const { return curves.empty(); }
};
[[nodiscard]] Plane planeOf(const std::vector<RunPoints>& runs, const QString& quality,
                            const QString& diversity);
Plane planeOf(const std::vector<RunPoints>&& runs, const QString& quality,
              const QString& diversity) = delete;  ///< the points would be gone

/// Metric ids that occur, those that most points have first; among equals 1 − self-BLEU leads.
[[nodiscard]] QStringList qualitiesOf(const std::vector<RunPoints>& runs);
[[nodiscard]] QStringList diversitiesOf(const std::vector<RunPoints>& runs);

/// Common settings of some points of all those shown: "steps ≥ 32", "noise factor 1 to 2", "length beam 3".
/// A setting that takes every value among them is left out.
[[nodiscard]] QStringList commonSettings(const std::vector<const frontier::SweepPoint*>& chosen,
                                         const std::vector<const frontier::SweepPoint*>& all);

/// Whether the quality is perplexity, which rewards repetition.
[[nodiscard]] bool isPerplexity(const Plane& plane);

/// "steps 8, length beam 3"; "the run's own settings" if nothing is varied.
[[nodiscard]] QString settingsText(const frontier::SweepPoint& point);

}  // namespace kurve::views
