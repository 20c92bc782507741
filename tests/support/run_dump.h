#pragma once

#include <filesystem>
#include <string>

#include "core/store/query.h"

namespace kurve::testing {

/// Every row of every table of a run's run.db as SQLite prints it, with its rowid; without what only a mirror
/// has.
inline std::string dumpedRun(const std::filesystem::path& run) {
    std::string text;
    const auto add = [&](const std::string& sql) {
        const auto rows = store::readOnlyQuery(run / "run.db", sql);
        text += sql + "\n";
        if (!rows) text += rows.error().text();
        if (rows)
            for (const auto& row : rows->rows)
                text += row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    };
    for (const char* table :
         {"segments", "metrics", "sealed", "events", "log", "samples", "checkpoints", "traces", "histograms"})
        add(std::string("SELECT rowid, * FROM ") + table + " ORDER BY rowid");
    add("SELECT * FROM scalars ORDER BY metric, seq");
    add("SELECT * FROM run WHERE key != 'machine' ORDER BY key");
    return text;
}

}  // namespace kurve::testing
