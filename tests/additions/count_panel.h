#pragma once

#include "views/common/panel.h"

class QLabel;

namespace kurve::views {

class ContentOrEmpty;
class EmptyState;

/// How many runs the project has.
class CountPanel : public Panel {
    Q_OBJECT
public:
    explicit CountPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;

private:
    void refresh();

    QLabel* count_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
};

}  // namespace kurve::views
