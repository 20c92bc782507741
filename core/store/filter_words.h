#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/store/project.h"

namespace kurve::store {

/// A whole filter text that one may mean, and what its last term says.
struct FilterSuggestion {
    std::string text;  ///< of the whole box; ends in an operator where a value is still to be typed
    std::string note;  ///< "metric, 1.2 to 76.4", "3 runs"
};

/// How the last term of a RunFilter text can go on, from what the runs have: names of keys, and behind ':' or
/// '=' the values that occur, the most frequent first. At most `most`; nothing behind a finished number.
[[nodiscard]] std::vector<FilterSuggestion> suggestTerms(const std::string& text,
                                                         std::span<const RunSummary> runs,
                                                         std::size_t most = 12);

/// Why no run can match: no run has a name that the filter asks for, with those that may be meant. Empty:
/// each is some run's.
[[nodiscard]] std::string whyNothingMatches(const RunFilter& filter, std::span<const RunSummary> runs);

/// The tag that takes a run out of the list without touching it.
inline constexpr const char* kArchivedTag = "archived";
[[nodiscard]] bool isArchived(const RunSummary& run);

/// Deletes the folders of runs that are in the trash, for good, with their names, notes, tags and stars; the
/// index forgets them at its next refresh. Returns the bytes on disk that this freed. Any thread, not the
/// GUI's. Errors: run.not_trashed, run.live, store.locked (nothing is deleted then), io.write (names the
/// first file; what was deleted before stays deleted).
Result<std::int64_t> purgeRuns(const Project& project, std::span<const RunSummary> runs);

}  // namespace kurve::store
