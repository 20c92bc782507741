#include "app/engine/stop_signal.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace kurve::engine {
namespace {

std::atomic<int> pendingSignal{0};
std::array<char, std::size_t{64} * 1024> handlerStack;

void onStop(int signal) {
    // A terminal that closes may say so twice: the shell to its jobs, the kernel to the session.
    if (pendingSignal.exchange(signal) != 0 && signal != SIGHUP) ::_exit(128 + signal);
}

}  // namespace

void catchStopSignals() {
    // oneDNN's matrix products let the stack pointer point into the heap (its issue 4845): a handler's frame
    // there would overwrite what is before.
    stack_t own{};
    own.ss_sp = handlerStack.data();
    own.ss_size = handlerStack.size();
    ::sigaltstack(&own, nullptr);
    struct sigaction action {};
    action.sa_handler = onStop;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    // A closed terminal or a lost connection, unless nohup was asked to ignore it.
    struct sigaction before {};
    if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
        ::sigaction(SIGHUP, &action, nullptr);
}

std::string stopSignal() {
    const int signal = pendingSignal.load();
    return signal == 0 ? "" : signal == SIGINT ? "interrupted" : "terminated";
}

}  // namespace kurve::engine
