#pragma once

#include <string>

namespace kurve {

/// Seconds since the Unix epoch.
[[nodiscard]] double wallSeconds();
/// Seconds of a clock that never jumps; only differences mean something.
[[nodiscard]] double steadySeconds();
/// "2026-11-21T15:30:00Z"; "?" after the year 9999 and for NaN.
[[nodiscard]] std::string utcText(double wall);
/// A new run id: UTC time and four random hexadecimal digits, "20261121-153000-9f3a". Sorts by time.
[[nodiscard]] std::string newRunId();

}  // namespace kurve
