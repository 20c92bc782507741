#pragma once

#include <QLabel>

class QKeySequence;

namespace kurve::views {

/// Waits with the focus for one key with its modifiers, and lets none of them act. Esc gives up; so does
/// losing the focus.
class KeyField : public QLabel {
    Q_OBJECT
public:
    explicit KeyField(QWidget* parent = nullptr);

Q_SIGNALS:
    void pressed(const QKeySequence& key);
    void givenUp();

protected:
    bool event(QEvent* event) override;
};

}  // namespace kurve::views
