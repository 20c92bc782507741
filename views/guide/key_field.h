#pragma once

#include <QLabel>

class QKeySequence;

namespace kurve::views {

/// Captures one key with its modifiers while it has the focus. Esc cancels; so does losing the focus.
class KeyField : public QLabel {
    Q_OBJECT
public:
    explicit KeyField(QWidget* parent = nullptr);

Q_SIGNALS:
    void pressed(const QKeySequence& key);
    void cancelled();

protected:
    bool event(QEvent* event) override;
};

}  // namespace kurve::views
