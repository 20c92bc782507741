#pragma once

#include <QJsonArray>

#include "views/common/chart/line_chart.h"
#include "views/common/form/saved_choice.h"

namespace kurve::views {

/// Of LineChart::Scale, in sessions and reports.
inline constexpr ChoiceIds<3> kScaleIds{"linear", "log", "symlog"};

/// The scales of x and y, for the session.
inline QJsonArray saveScales(const LineChart& chart) {
    return {savedChoice(kScaleIds, static_cast<int>(chart.keyScale())),
            savedChoice(kScaleIds, static_cast<int>(chart.valueScale()))};
}

inline void restoreScales(LineChart& chart, const QJsonArray& saved) {
    chart.setKeyScale(static_cast<LineChart::Scale>(choiceOf(kScaleIds, saved.at(0))));
    chart.setValueScale(static_cast<LineChart::Scale>(choiceOf(kScaleIds, saved.at(1))));
}

}  // namespace kurve::views
