#pragma once

#include <QWidget>

#include "views/common/services/prompt_request.h"

class QLabel;
class QPushButton;

namespace kurve::views {

class ElidedLabel;

/// The result of a prompt in one row: output, number of candidates, and status of the engine. Hidden without
/// any.
class PromptOutcome : public QWidget {
    Q_OBJECT
public:
    explicit PromptOutcome(QWidget* parent = nullptr);
    void showAnswer(const PromptAnswer& answer);
    /// Hides the answer.
    void clearAnswer();
    void setStatus(const PromptStatus& status);

Q_SIGNALS:
    void candidatesRequested();

private:
    void showFilled();

    QLabel* answer_;
    QPushButton* candidates_;
    ElidedLabel* status_;
};

}  // namespace kurve::views
