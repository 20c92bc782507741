#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kurve::views {

/// States to go back to. Changes that carry the same tag one after the other (a drag, a slider) are one step.
template <class State>
class History {
public:
    void reset(State state) {
        states_ = {std::move(state)};
        tag_.clear();
        now_ = 0;
    }
    /// An empty tag is a step of its own. Forgets what was undone.
    void record(State state, const std::string& tag) {
        states_.resize(now_ + 1);
        if (!tag.empty() && tag == tag_ && now_ > 0) {
            states_.back() = std::move(state);
            return;
        }
        if (states_.size() >= kMost) states_.erase(states_.begin());
        states_.push_back(std::move(state));
        now_ = states_.size() - 1;
        tag_ = tag;
    }
    /// For what no undo takes back.
    template <class Change>
    void changeAll(Change change) {
        for (State& state : states_) change(state);
    }
    [[nodiscard]] bool canUndo() const { return now_ > 0; }
    [[nodiscard]] bool canRedo() const { return now_ + 1 < states_.size(); }
    const State& undo() {
        tag_.clear();
        return states_[canUndo() ? --now_ : now_];
    }
    const State& redo() {
        tag_.clear();
        return states_[canRedo() ? ++now_ : now_];
    }

private:
    static constexpr std::size_t kMost = 200;
    std::vector<State> states_{State()};
    std::size_t now_ = 0;
    std::string tag_;
};

}  // namespace kurve::views
