#pragma once

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// White (dark: paper) is zero; one hue for weights, two for values of both signs.
[[nodiscard]] QCPColorGradient mapGradient(bool signedValues);

}  // namespace kurve::views
