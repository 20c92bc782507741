#pragma once

#include <QPixmap>
#include <functional>

class QPainter;

namespace kurve::views {

/// A picture for a button at the present zoom and resolution. `draw` gets a painter whose square has 16
/// units.
[[nodiscard]] QPixmap drawnIcon(const std::function<void(QPainter&)>& draw);

}  // namespace kurve::views
