#include "views/common/shell/at_most_every.h"

#include <utility>

namespace kurve::views {

AtMostEvery::AtMostEvery(int milliseconds, std::function<void()> work) : work_(std::move(work)) {
    interval_.setSingleShot(true);
    interval_.setInterval(milliseconds);
    QObject::connect(&interval_, &QTimer::timeout, &interval_, [this] {
        if (std::exchange(due_, false)) request();
    });
}

void AtMostEvery::request() {
    due_ = interval_.isActive();
    if (due_) return;
    interval_.start();
    work_();
}

void AtMostEvery::restart() {
    interval_.stop();
    if (std::exchange(due_, false)) request();
}

}  // namespace kurve::views
