#pragma once

#include <QLabel>

class QKeyEvent;
class QKeySequence;

namespace kurve::views {

/// Waits with the focus for one key with its modifiers, and lets none of them act. Esc gives up; so does
/// losing the focus.
class KeyField : public QLabel {
    Q_OBJECT
public:
    explicit KeyField(QWidget* parent = nullptr);
    /// What a key press is bound as; empty for a modifier alone.
    [[nodiscard]] static QKeySequence sequenceOf(const QKeyEvent& event);

Q_SIGNALS:
    void pressed(const QKeySequence& key);
    void givenUp();

protected:
    bool event(QEvent* event) override;
};

}  // namespace kurve::views
