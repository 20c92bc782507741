#pragma once

#include <QStackedWidget>

#include "views/common/shell/empty_state.h"

namespace kurve::views {

/// The content of a panel (a table), or its empty state while there is nothing to show.
class ContentOrEmpty : public QStackedWidget {
    Q_OBJECT
public:
    /// Takes both; the content is shown first.
    ContentOrEmpty(QWidget* content, EmptyState* empty) {
        addWidget(content);
        addWidget(empty);
    }
    void setEmpty(bool empty) { setCurrentIndex(empty ? 1 : 0); }
    [[nodiscard]] bool isEmpty() const { return currentIndex() == 1; }
};

}  // namespace kurve::views
