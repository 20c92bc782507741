#pragma once

class QLayout;
class QWidget;

namespace kurve::views {

/// The height below which a part of the layout is clipped at this width; of pages, the current one counts.
[[nodiscard]] int leastHeight(QLayout* layout, int width);

/// The height of a view, or of the scroll area around it.
[[nodiscard]] int availableHeight(const QWidget& view);

}  // namespace kurve::views
