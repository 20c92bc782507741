#pragma once

#include <QTimer>
#include <functional>

namespace kurve::views {

/// Throttles work that is requested many times a second: the first request runs at once, later ones together
/// after the interval; the last is never lost. A member of its owner; GUI thread only.
class AtMostEvery {
public:
    AtMostEvery(int milliseconds, std::function<void()> work);
    void request();
    /// The next request runs at once; a pending one runs now.
    void restart();

private:
    std::function<void()> work_;
    QTimer interval_;
    bool due_ = false;
};

}  // namespace kurve::views
