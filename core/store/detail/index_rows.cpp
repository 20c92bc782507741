#include "core/store/detail/index_rows.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/store/detail/extremes_reader.h"

namespace kurve::store::detail {
namespace {

using nlohmann::json;

json numbersJson(const std::map<std::string, double>& values) {
    json out = json::object();
    for (const auto& [key, value] : values) {
        if (std::isfinite(value))
            out[key] = value;
        else
            out[key] = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
    return out;
}

std::map<std::string, double> numbersOf(const std::string& text) {
    std::map<std::string, double> out;
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) return out;
    for (const auto& [key, value] : object.items()) {
        if (value.is_number()) out[key] = value.get<double>();
        if (value.is_string()) out[key] = std::strtod(value.get_ref<const std::string&>().c_str(), nullptr);
    }
    return out;
}

std::string textOf(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string indexSchema() {
    return R"(
CREATE TABLE runs(id TEXT PRIMARY KEY, stamp TEXT NOT NULL, name TEXT, family TEXT, state TEXT, reason TEXT, task TEXT,
                  step INTEGER, total_steps INTEGER, started REAL, ended REAL, parent TEXT, config_hash TEXT,
                  bytes INTEGER, bundled INTEGER, metrics TEXT, settings TEXT, process TEXT, extremes BLOB);
CREATE TABLE marks(run TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', tags TEXT NOT NULL DEFAULT '[]',
                   notes TEXT NOT NULL DEFAULT '', starred INTEGER NOT NULL DEFAULT 0,
                   trashed INTEGER NOT NULL DEFAULT 0, style INTEGER);
PRAGMA user_version = )" +
           std::to_string(kIndexVersion);
}

const char* const kSelectEntries =
    "SELECT id, stamp, name, family, state, reason, task, step, total_steps, started, ended, parent, "
    "config_hash, bytes, bundled, metrics, settings, process, extremes FROM runs";

RunEntry entryOf(Statement& row) {
    RunEntry entry;
    RunSummary& run = entry.summary;
    run.id = row.text(0);
    entry.stamp = row.text(1);
    entry.runName = row.text(2);
    run.family = row.text(3);
    run.state = row.text(4);
    run.reason = row.text(5);
    run.task = row.text(6);
    run.step = row.integer(7);
    run.totalSteps = row.integer(8);
    run.started = row.real(9);
    run.ended = row.real(10);
    run.parent = row.text(11);
    run.configHash = row.text(12);
    run.bytes = row.integer(13);
    run.bundled = row.integer(14) != 0;
    run.metrics = numbersOf(row.text(15));
    run.settings = textsOf(row.text(16));
    entry.process = textsOf(row.text(17));
    if (const auto bytes = row.blob(18); !bytes.empty())
        run.extremes = std::make_shared<const RunExtremes>(unpacked(bytes));
    entry.takeOrigin();
    entry.runState = textOr(entry.process, "state");
    entry.runReason = textOr(entry.process, "reason");
    entry.touch();
    return entry;
}

const char* const kInsertEntry =
    "INSERT OR REPLACE INTO runs VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
    "?16, ?17, ?18, ?19)";

void insertEntry(Statement& insert, const RunEntry& entry) {
    const RunSummary& run = entry.summary;
    json process(entry.process);
    process["state"] = entry.runState;
    process["reason"] = entry.runReason;
    const auto extremes = run.extremes ? packed(*run.extremes) : std::vector<std::byte>();
    insert.run(run.id, entry.stamp, entry.runName, run.family, run.state, run.reason, run.task, run.step,
               run.totalSteps, run.started, run.ended, run.parent, run.configHash, run.bytes, run.bundled,
               textOf(numbersJson(run.metrics)), textOf(run.settings), textOf(process),
               std::span<const std::byte>(extremes));
}

void copyMarks(Database& from, Database& to) {
    Statement row = from.prepare("SELECT run, name, tags, notes, starred, trashed, style FROM marks");
    Statement insert =
        to.prepare("INSERT OR REPLACE INTO marks VALUES(?1, ?2, ?3, ?4, ?5, ?6, NULLIF(?7, ''))");
    row.each([&] {
        insert.run(row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5),
                   row.text(6));
    });
}

}  // namespace kurve::store::detail
