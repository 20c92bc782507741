#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::store {

/// An answer to SQL: rows of JSON values; NULL (and so NaN) is null, infinities are "inf" and "-inf", blobs
/// are hexadecimal text.
struct SqlTable {
    std::vector<std::string> columns;
    std::vector<nlohmann::json> rows;  ///< each an array
};

/// Runs one statement that only reads, on a run.db or index.db. Errors: query.sql (SQLite's message),
/// query.writes, store.missing, store.damaged.
Result<SqlTable> readOnlyQuery(const std::filesystem::path& database, const std::string& sql);

/// What SQLite's own check finds wrong, at most 20 lines; empty = sound. Errors as readOnlyQuery.
Result<std::vector<std::string>> integrityProblems(const std::filesystem::path& database);

}  // namespace kurve::store
