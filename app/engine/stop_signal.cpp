#include "app/engine/stop_signal.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace kurve::engine {
namespace {

std::atomic<int> pendingSignal{0};

void onStop(int signal) {
    if (pendingSignal.exchange(signal) != 0) ::_exit(128 + signal);
}

}  // namespace

void catchStopSignals() {
    struct sigaction action {};
    action.sa_handler = onStop;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

std::string stopSignal() {
    const int signal = pendingSignal.load();
    return signal == 0 ? "" : signal == SIGINT ? "interrupted" : "terminated";
}

}  // namespace kurve::engine
