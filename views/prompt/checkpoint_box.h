#pragma once

#include <QComboBox>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/common/form/choice_box.h"
#include "views/common/services/prompt_request.h"

namespace kurve::views {

/// The weights of a prompt: "last", "best", a checkpoint by its step, the average of a trace ("avg5") or,
/// while the run trains, the live model. The default is a paused live model, else the last checkpoint, else
/// the live model.
class CheckpointBox : public QComboBox {
    Q_OBJECT
public:
    explicit CheckpointBox(QWidget* parent = nullptr);
    /// Resets the box for another run. `saved`: its earlier chosenId().
    void begin(const QString& saved);
    /// The steps of the run's checkpoints, in the order in which they were saved.
    void setSteps(std::vector<std::int64_t> steps);
    /// The run's live model; nullopt: it is not training.
    void setLive(const std::optional<LiveModel>& live);
    /// False, without a change, if there are no such weights.
    bool choose(const QString& id);
    /// After a request to the live model it stays selected when training continues.
    void keepRequested();
    /// As PromptRequest::checkpoint.
    [[nodiscard]] QString id() const { return currentData().toString(); }
    /// The user's choice, which may be unavailable; empty: none.
    [[nodiscard]] QString chosenId() const { return chosen_; }

Q_SIGNALS:
    void chosen();     ///< by the user
    void liveEnded();  ///< the selected live model has ended

private:
    [[nodiscard]] QString choiceOf(const BoxChoices& all) const;
    void fill();

    QString chosen_;
    std::vector<std::int64_t> steps_;
    std::optional<LiveModel> live_;
};

}  // namespace kurve::views
