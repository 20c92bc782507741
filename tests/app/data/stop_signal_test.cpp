// A stop may come while the stack pointer is where nothing may be written.
#include "app/engine/stop_signal.h"

#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace kurve::engine {
namespace {

constexpr std::size_t kCallFrames = 1024;  // of raise(); a signal's frame has all registers and is larger
std::array<char, 64 * 1024> stack;
ucontext_t here, there;
bool untouched = false;

void stopHere() {
    char marker = 0;
    char* const below = std::max(stack.data(), &marker - kCallFrames);
    ::raise(0);  // the linker's look-up has a large frame too
    std::fill(stack.data(), below, 'x');
    ::raise(SIGTERM);
    untouched = std::all_of(stack.data(), below, [](char c) { return c == 'x'; });
}

void stopOnAnotherStack() {
    catchStopSignals();
    ::getcontext(&there);
    there.uc_stack.ss_sp = stack.data();
    there.uc_stack.ss_size = stack.size();
    there.uc_link = &here;
    ::makecontext(&there, stopHere, 0);
    ::swapcontext(&here, &there);
    ::_exit(!untouched ? 1 : stopSignal() != "terminated" ? 2 : 0);
}

TEST(StopSignal, LeavesTheStackAlone) {
#ifdef __has_feature
#if __has_feature(address_sanitizer)
    GTEST_SKIP() << "AddressSanitizer does not know stacks of makecontext()";
#endif
#endif
    EXPECT_EXIT(stopOnAnotherStack(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kurve::engine
