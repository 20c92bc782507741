#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace kurve::views {

/// What a panel shows while it has nothing: a headline, one sentence with the next action, and at most one
/// button.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(QWidget* parent = nullptr);
    /// An empty button text hides the button.
    void setTexts(const QString& headline, const QString& sentence, const QString& button = {});
    [[nodiscard]] QPushButton* button() const { return button_; }

Q_SIGNALS:
    void clicked();

private:
    QLabel* headline_;
    QLabel* sentence_;
    QPushButton* button_;
};

}  // namespace kurve::views
