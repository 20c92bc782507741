#pragma once

#include <functional>
#include <optional>

#include "views/common/data/background.h"

namespace kurve::views {

/// Processes the newest of many requests (a dragged slider) on a worker: one job at a time; a request that
/// arrives meanwhile replaces the pending one. Answers are delivered in order and end with that of the last
/// request. A member of its owner; GUI thread only.
template <class Request, class Answer>
class Latest {
public:
    using Work = std::function<Answer(const Request&)>;  ///< on a pool thread; must not touch the owner
    using Done = std::function<void(Answer)>;  ///< on the GUI thread, never after the owner's destruction
    Latest(Work work, Done done) : work_(std::move(work)), done_(std::move(done)) {}

    void request(Request request) {
        waiting_ = std::move(request);
        if (!working_) next();
    }
    /// A job is running.
    [[nodiscard]] bool working() const { return working_; }

private:
    void next() {
        working_ = true;
        background_.run(
            [work = work_, request = *std::exchange(waiting_, std::nullopt)] { return work(request); },
            [this](Answer answer) {
                working_ = false;
                if (waiting_) next();
                done_(std::move(answer));
            });
    }

    Work work_;
    Done done_;
    std::optional<Request> waiting_;
    bool working_ = false;
    Background background_;
};

}  // namespace kurve::views
