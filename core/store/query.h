#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/base/result.h"

namespace kurve::store {

/// An answer to SQL: rows of JSON values; NULL (and so NaN) is null, infinities are "inf" and "-inf", blobs
/// are hexadecimal text.
struct SqlTable {
    std::vector<std::string> columns;
    std::vector<nlohmann::json> rows;  ///< each an array
    bool truncated = false;            ///< there were more than QueryLimits::rows
};

struct QueryLimits {
    CancelToken cancel;
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    double seconds = std::numeric_limits<double>::infinity();
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< of the answer in memory, about
};

/// Runs one statement that only reads, on a run.db or index.db. Errors: query.sql (SQLite's message),
/// query.writes, query.timeout, query.too_large, store.missing, store.damaged, cancelled (soon after the
/// token was asked to stop).
Result<SqlTable> readOnlyQuery(const std::filesystem::path& database, const std::string& sql,
                               const QueryLimits& limits = {});

/// What SQLite's own check finds wrong, at most 20 lines; empty = sound. Without `thorough` its quick check,
/// which does not compare indexes with their tables. Errors as readOnlyQuery.
Result<std::vector<std::string>> integrityProblems(const std::filesystem::path& database, bool thorough);

}  // namespace kurve::store
