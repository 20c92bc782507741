#include "views/common/shell/content_or_empty.h"

#include "views/common/shell/empty_state.h"

namespace kurve::views {

ContentOrEmpty::ContentOrEmpty(QWidget* content, EmptyState* empty) {
    addWidget(content);
    addWidget(empty);
}

}  // namespace kurve::views
