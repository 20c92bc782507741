#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::alerts {

enum class Kind : unsigned char {
    NonFinite,  ///< a loss or gradient is NaN or infinite; its update is left out whatever is done
    Spike,      ///< metric is more than `value` times its recent mean
    Plateau,    ///< metric had no new best for `steps` steps
    Above,      ///< metric has risen above `value`
    Below,      ///< metric has fallen below `value`
    Disk,       ///< less than `value` MB are free where the run lies
    Done,       ///< the run ended
    Family,     ///< one of what the run's model family watches for (FamilyWatch)
};
enum class Action : unsigned char { Note, Checkpoint, Pause, Stop };

/// "If this happens, do that." Every alarm is a mark on the curves and a message; the action comes on top.
struct Rule {
    Kind kind = Kind::NonFinite;
    Action action = Action::Note;
    std::string metric;           ///< "loss", "valid_bleu", …; of the kinds that have one
    double value = 0;             ///< see Kind
    std::int64_t steps = 0;       ///< Plateau only
    bool higherIsBetter = false;  ///< Plateau only
    bool enabled = true;

    friend bool operator==(const Rule&, const Rule&) = default;
};
[[nodiscard]] const char* name(Kind kind);      ///< as in the file: "non_finite", "spike", …
[[nodiscard]] const char* name(Action action);  ///< "note", "checkpoint", "pause", "stop"
[[nodiscard]] bool looksAtMetric(Kind kind);
[[nodiscard]] bool countsSteps(Kind kind);

/// The rules of a project without a file: a non-finite step pauses; a spike of the loss, what
/// the family watches for, a nearly full disk and the end are noted.
[[nodiscard]] std::vector<Rule> defaultRules();
/// The file of a project, alerts.json.
[[nodiscard]] std::filesystem::path rulesFile(const std::filesystem::path& project);
/// The project's rules; the default ones if it has no file. Errors: alerts.syntax, io.read.
Result<std::vector<Rule>> loadRules(const std::filesystem::path& project);
/// Text of the file, and back. Errors: alerts.syntax says which rule and what is wrong with it.
[[nodiscard]] std::string toText(const std::vector<Rule>& rules);
Result<std::vector<Rule>> parseRules(const std::string& text);

}  // namespace kurve::alerts
