#pragma once

#include <QIcon>

namespace kurve::views {

enum class TransportIcon : unsigned char { First, Back, Play, Pause, Forward, Last, Loop };
/// Drawn in the theme's text colour at the current zoom.
[[nodiscard]] QIcon transportIcon(TransportIcon icon);

}  // namespace kurve::views
