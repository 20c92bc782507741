#pragma once

#include <QHeaderView>

namespace kurve::views {

/// Its titles end in "…" before the style's padding would cut them.
class ElidingHeader : public QHeaderView {
public:
    using QHeaderView::QHeaderView;

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

}  // namespace kurve::views
