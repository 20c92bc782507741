#pragma once

#include <QWidget>

class QStackedLayout;

namespace kurve::views {

class EmptyState;

/// A table (or whatever a panel shows) and, in the same place while there is nothing to show, the panel's
/// empty state.
class ContentOrEmpty : public QWidget {
    Q_OBJECT
public:
    /// Takes both; the content is shown first.
    ContentOrEmpty(QWidget* content, EmptyState* empty, QWidget* parent = nullptr);
    void setEmpty(bool empty);
    [[nodiscard]] bool isEmpty() const;

private:
    QStackedLayout* stack_;
};

}  // namespace kurve::views
