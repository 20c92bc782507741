#pragma once

#include <QComboBox>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/prompt/prompt_request.h"

namespace kurve::views {

/// Which weights answer a prompt: "last", "best", a checkpoint by its step or, while the run trains, the
/// model as it is now. Until somebody chooses, that is a model that is paused, since one pauses to look
/// inside, else the last checkpoint, and the model that trains where there is no checkpoint yet.
class CheckpointBox : public QComboBox {
    Q_OBJECT
public:
    explicit CheckpointBox(QWidget* parent = nullptr);
    /// Begins anew, for another run. `kept`: what was chosen for it once, as kept() said.
    void begin(const QString& kept);
    /// The steps of the run's checkpoints, in the order in which they were saved.
    void setSteps(std::vector<std::int64_t> steps);
    /// The run's model that trains; none: it does not train.
    void setLive(const std::optional<LiveModel>& live);
    /// False if there are no such weights; nothing changes then.
    bool choose(const QString& id);
    /// What is asked becomes the choice: a training that goes on changes nothing under somebody's hands.
    void keepAsked();
    /// As PromptRequest::checkpoint.
    [[nodiscard]] QString id() const { return currentData().toString(); }
    /// What somebody chose, which may not be offered now; empty: nothing.
    [[nodiscard]] QString kept() const { return chosen_; }

Q_SIGNALS:
    void chosen();     ///< by hand
    void liveEnded();  ///< the model that was chosen does not train any more: another answers from now on

private:
    struct Choice {
        QString id, text;
        bool operator==(const Choice&) const = default;
    };
    [[nodiscard]] std::vector<Choice> choices() const;
    [[nodiscard]] QString fitting() const;
    void fill();

    QString chosen_;
    std::vector<std::int64_t> steps_;
    std::optional<LiveModel> live_;
    std::vector<Choice> shown_;
};

}  // namespace kurve::views
