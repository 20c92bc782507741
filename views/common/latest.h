#pragma once

#include <functional>
#include <optional>

#include "views/common/background.h"

namespace kurve::views {

/// Answers the newest of many wishes (a dragged slider) on a worker: one job at a time; a wish that comes
/// meanwhile waits, in the place of one that waited before. Every answer is handed out in order, so that what
/// is shown follows the hand and ends with the last wish. A member of its owner; GUI thread only.
template <class Wish, class Answer>
class Latest {
public:
    using Work = std::function<Answer(const Wish&)>;  ///< on a pool thread; must not touch the owner
    using Done = std::function<void(Answer)>;         ///< on the GUI thread, never after the owner's end
    Latest(Work work, Done done) : work_(std::move(work)), done_(std::move(done)) {}

    void ask(Wish wish) {
        waiting_ = std::move(wish);
        if (!working_) next();
    }
    /// An answer is on its way.
    [[nodiscard]] bool working() const { return working_; }

private:
    void next() {
        working_ = true;
        background_.run([work = work_, wish = *std::exchange(waiting_, std::nullopt)] { return work(wish); },
                        [this](Answer answer) {
                            working_ = false;
                            if (waiting_) next();
                            done_(std::move(answer));
                        });
    }

    Work work_;
    Done done_;
    std::optional<Wish> waiting_;
    bool working_ = false;
    Background background_;
};

}  // namespace kurve::views
