#pragma once

#include "views/common/shell/panel.h"

class QCheckBox;
class QLabel;

namespace kurve::views {

class ContentOrEmpty;
class EmptyState;

/// How many runs the project has; keeps whether only completed ones count, and opens the newest trace.
class CountPanel : public Panel {
    Q_OBJECT
public:
    explicit CountPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    void refresh();

    QCheckBox* completed_;
    QLabel* count_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
};

}  // namespace kurve::views
