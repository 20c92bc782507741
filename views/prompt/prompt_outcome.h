#pragma once

#include <QWidget>

#include "views/prompt/prompt_request.h"

class QLabel;
class QPushButton;

namespace kurve::views {

class ElidedLabel;

/// What became of a prompt, in one row: the text it came out as, how many it was chosen among, and what the
/// engine is doing.
class PromptOutcome : public QWidget {
    Q_OBJECT
public:
    explicit PromptOutcome(QWidget* parent = nullptr);
    void showAnswer(const PromptAnswer& answer);
    /// Leaves its room to the status.
    void clearAnswer();
    void setStatus(const PromptStatus& status);

Q_SIGNALS:
    void candidatesRequested();

private:
    QLabel* answer_;
    QPushButton* candidates_;
    ElidedLabel* status_;
};

}  // namespace kurve::views
