#pragma once

class QLayout;
class QWidget;

namespace kurve::views {

/// The height below which something in the layout is cut at this width; of pages, the one that is shown
/// counts.
[[nodiscard]] int leastHeight(QLayout* layout, int width);

/// The height that a view has, or could have without scrolling as a whole.
[[nodiscard]] int roomHeight(const QWidget& view);

}  // namespace kurve::views
