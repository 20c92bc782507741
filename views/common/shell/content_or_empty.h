#pragma once

#include <QWidget>

class QStackedLayout;

namespace kurve::views {

class EmptyState;

/// The content of a panel (a table), or its empty state while there is nothing to show.
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
