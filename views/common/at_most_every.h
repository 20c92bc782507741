#pragma once

#include <QTimer>
#include <functional>

namespace kurve::views {

/// Work that is asked for many times a second and done at most once in so many milliseconds: the first wish
/// at once, those that follow together when the time is over; the last is never lost. A member of what it
/// works on; GUI thread only.
class AtMostEvery {
public:
    AtMostEvery(int milliseconds, std::function<void()> work);
    void ask();
    /// The next wish is met at once, whatever was done lately; one that waits, now.
    void restart();

private:
    std::function<void()> work_;
    QTimer rest_;
    bool due_ = false;
};

}  // namespace kurve::views
