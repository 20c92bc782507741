#include "core/store/detail/run_schema.h"

#include <fmt/format.h>

#include "core/store/run_writer.h"

namespace kurve::store::detail {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE segments(id INTEGER PRIMARY KEY, start_step INTEGER NOT NULL, wall REAL NOT NULL, reason TEXT NOT NULL);
CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, points INTEGER NOT NULL DEFAULT 0,
                     last_segment INTEGER, last_step INTEGER, last_value REAL);
CREATE TABLE scalars(metric INTEGER NOT NULL, seq INTEGER NOT NULL, segment INTEGER NOT NULL, step INTEGER NOT NULL,
                     wall REAL NOT NULL, value REAL, PRIMARY KEY(metric, seq)) WITHOUT ROWID;
CREATE TABLE sealed(metric INTEGER NOT NULL, first_seq INTEGER NOT NULL, count INTEGER NOT NULL,
                    segment INTEGER NOT NULL, min REAL, max REAL, points BLOB NOT NULL,
                    PRIMARY KEY(metric, first_seq));
CREATE TABLE events(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, wall REAL NOT NULL, kind TEXT NOT NULL,
                    text TEXT NOT NULL);
CREATE TABLE log(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, wall REAL NOT NULL, level TEXT NOT NULL,
                 text TEXT NOT NULL);
CREATE TABLE samples(id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, step INTEGER NOT NULL, prompt INTEGER NOT NULL,
                     input TEXT NOT NULL, output TEXT NOT NULL, reference TEXT NOT NULL, score REAL,
                     trace_file TEXT NOT NULL);
CREATE INDEX samples_by_step ON samples(step);
CREATE TABLE checkpoints(path TEXT PRIMARY KEY, step INTEGER NOT NULL, sha256 TEXT NOT NULL, metric REAL,
                         bytes INTEGER NOT NULL, pinned INTEGER NOT NULL);
CREATE TABLE traces(path TEXT PRIMARY KEY, segment INTEGER NOT NULL, step INTEGER NOT NULL, prompt INTEGER NOT NULL,
                    text TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE histograms(id INTEGER PRIMARY KEY, metric TEXT NOT NULL, segment INTEGER NOT NULL, step INTEGER NOT NULL,
                        bins TEXT NOT NULL);
CREATE INDEX histograms_by_metric ON histograms(metric, step);
)";

/// SQL for the little-endian 64-bit integer at byte `at` (an expression, 1-based) of the blob `points`.
/// SQLite has no way from bytes to numbers, but a byte's value is its place in the blob 00 01 … FF (the table
/// byte).
std::string integerAt(const std::string& at) {
    std::string sql;
    for (int i = 0; i < 8; ++i)
        sql += fmt::format("{}(instr(every, substr(points, {} + {}, 1)) - 1 << {})", i ? " | " : "", at, i,
                           8 * i);
    return sql;
}

/// Points readable by hand in plain SQL. A double's bits become its value through the table scale: 2^(e -
/// 1075) for each exponent e, exact because doubling and halving are.
std::string views() {
    std::string everyByte;
    for (int b = 0; b < 256; ++b) everyByte += fmt::format("{:02X}", b);
    return fmt::format(R"(
CREATE VIEW all_points AS
WITH RECURSIVE
  byte(every) AS (VALUES(X'{}')),
  place(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM place WHERE i < {}),
  scale(e, v) AS (VALUES(1075, 1.0)
                  UNION ALL SELECT e + 1, v * 2 FROM scale WHERE e BETWEEN 1075 AND 2046
                  UNION ALL SELECT e - 1, v / 2 FROM scale WHERE e BETWEEN 2 AND 1075),
  raw(metric, segment, seq, step, wall, bits) AS (
    SELECT metric, segment, first_seq + i, {}, ({}) / 1e6, {}
    FROM sealed JOIN place ON i < count JOIN byte)
SELECT name AS metric, segment, seq, step, wall,
       CASE WHEN bits < 0 THEN -1.0 ELSE 1.0 END *
       CASE WHEN bits >> 52 & 2047 < 2047
            THEN v * ((bits & 4503599627370495) + CASE WHEN bits >> 52 & 2047 THEN 4503599627370496 ELSE 0 END)
            WHEN bits & 4503599627370495 THEN NULL ELSE 9e999 END AS value
FROM metrics JOIN raw ON raw.metric = metrics.id JOIN scale ON e = max(bits >> 52 & 2047, 1)
UNION ALL
SELECT name, segment, seq, step, wall, value FROM metrics JOIN scalars ON scalars.metric = metrics.id;
CREATE VIEW points AS
SELECT metric, step, wall, value FROM all_points
WHERE NOT EXISTS (SELECT 1 FROM segments WHERE id > all_points.segment AND start_step <= all_points.step);
)",
                       everyByte, kSealedPoints - 1, integerAt("1 + 8 * i"), integerAt("1 + 8 * (count + i)"),
                       integerAt("1 + 8 * (2 * count + i)"));
}

}  // namespace

std::span<const std::string> runMigrations() {
    static const std::string steps[] = {kTables + views()};
    static_assert(std::size(steps) == kRunSchemaVersion);
    return steps;
}

}  // namespace kurve::store::detail
