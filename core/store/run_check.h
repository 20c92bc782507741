#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::store {

/// What is wrong with a run's run.db; empty: sound. SQLite's own check (integrityProblems()), the tables and
/// views against those of this format, every row against its checksum, every curve against its number of
/// points. Errors as readOnlyQuery.
Result<std::vector<std::string>> runProblems(const std::filesystem::path& runFolder, bool thorough = false);

}  // namespace kurve::store
