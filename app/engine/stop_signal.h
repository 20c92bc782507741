#pragma once

#include <string>

namespace kurve::engine {

/// Ctrl+C and SIGTERM ask the job to stop gracefully; the second one ends the program at once. Call once,
/// in the main thread: the handler has a stack of its own there.
void catchStopSignals();
/// "" until a signal came, then "interrupted" or "terminated".
[[nodiscard]] std::string stopSignal();

}  // namespace kurve::engine
