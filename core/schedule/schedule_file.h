#pragma once

#include <filesystem>
#include <string>

#include "core/config/run_config.h"
#include "core/schedule/free_curve.h"

namespace kurve::schedule {

/// Begins the name of a schedule in a file: "file:schedules/NAME.toml", relative to the project.
inline constexpr const char* kFilePrefix = "file:";
/// What a setting that names a schedule takes beside the ids of scheduleKinds(): files, and points inline
/// ("free:0=12,0.5=0,1=-12", "free-mask:…", with ";zero-terminal" at the end where it is meant).
[[nodiscard]] std::vector<std::string> schedulePrefixes();

/// A schedule file: kind ("gaussian" or "mask"), points ([time, log-SNR] pairs), zero_terminal, clamp
/// ([lowest, highest]), note; only points is required. What is read passes check(). Errors carry file and
/// line: schedule.file (missing), schedule.syntax, schedule.points, config.unknown_key, config.wrong_type.
Result<FreeCurve> readScheduleFile(const std::filesystem::path& file);
Result<FreeCurve> parseScheduleFile(const std::string& text, const std::string& fileName);
/// The text of a file that is read back as an equal curve.
[[nodiscard]] std::string scheduleFileText(const FreeCurve& curve);

/// "free:…" or "free-mask:…": the whole curve in one text, without clamp and note.
[[nodiscard]] std::string inlineText(const FreeCurve& curve);
/// Of inlineText(). Errors: schedule.points; schedule.unknown if it begins in another way.
Result<FreeCurve> parseInline(const std::string& id);

/// "file:…" as the points it holds, so that nothing outside is needed to make the schedule again; other ids
/// as they are. Errors as readScheduleFile().
Result<std::string> inlined(const std::string& id, const std::filesystem::path& project);
/// The same for every setting that takes schedule files: an experiment that does not depend on them. Errors
/// carry the setting's key.
Result<RunConfig> withInlinedSchedules(const RunConfig& config, const std::filesystem::path& project);

}  // namespace kurve::schedule
