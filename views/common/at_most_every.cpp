#include "views/common/at_most_every.h"

#include <utility>

namespace kurve::views {

AtMostEvery::AtMostEvery(int milliseconds, std::function<void()> work) : work_(std::move(work)) {
    rest_.setSingleShot(true);
    rest_.setInterval(milliseconds);
    QObject::connect(&rest_, &QTimer::timeout, &rest_, [this] {
        if (std::exchange(due_, false)) ask();
    });
}

void AtMostEvery::ask() {
    due_ = rest_.isActive();
    if (due_) return;
    rest_.start();
    work_();
}

void AtMostEvery::restart() {
    rest_.stop();
    if (std::exchange(due_, false)) ask();
}

}  // namespace kurve::views
