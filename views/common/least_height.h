#pragma once

class QLayout;

namespace kurve::views {

/// The height below which something in the layout is cut at this width; of pages, the one that is shown
/// counts.
[[nodiscard]] int leastHeight(QLayout* layout, int width);

}  // namespace kurve::views
