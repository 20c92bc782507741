#include "core/store/detail/run_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/base/check.h"
#include "core/store/run_writer.h"

namespace kurve::store::detail {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE segments(id INTEGER PRIMARY KEY, start_step INTEGER NOT NULL, wall REAL NOT NULL, reason TEXT NOT NULL,
                      sum INTEGER NOT NULL);
CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, points INTEGER NOT NULL DEFAULT 0,
                     last_segment INTEGER, last_step INTEGER, last_value REAL, sum INTEGER NOT NULL);
CREATE TABLE scalars(metric INTEGER NOT NULL, seq INTEGER NOT NULL, segment INTEGER NOT NULL, step INTEGER NOT NULL,
                     wall REAL NOT NULL, value REAL, sum INTEGER NOT NULL, PRIMARY KEY(metric, seq)) WITHOUT ROWID;
CREATE TABLE sealed(metric INTEGER NOT NULL, first_seq INTEGER NOT NULL, count INTEGER NOT NULL,
                    segment INTEGER NOT NULL, min REAL, max REAL, points BLOB NOT NULL, sum INTEGER NOT NULL,
                    PRIMARY KEY(metric, first_seq));
CREATE TABLE events(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, wall REAL NOT NULL, kind TEXT NOT NULL,
                    text TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE log(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, wall REAL NOT NULL, level TEXT NOT NULL,
                 text TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE samples(id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, step INTEGER NOT NULL, prompt INTEGER NOT NULL,
                     input TEXT NOT NULL, output TEXT NOT NULL, reference TEXT NOT NULL, score REAL,
                     trace_file TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE INDEX samples_by_step ON samples(step);
CREATE TABLE checkpoints(path TEXT PRIMARY KEY, step INTEGER NOT NULL, sha256 TEXT NOT NULL, metric REAL,
                         bytes INTEGER NOT NULL, pinned INTEGER NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE traces(path TEXT PRIMARY KEY, segment INTEGER NOT NULL, step INTEGER NOT NULL, prompt INTEGER NOT NULL,
                    text TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
                    sum INTEGER NOT NULL);
CREATE TABLE histograms(id INTEGER PRIMARY KEY, metric TEXT NOT NULL, segment INTEGER NOT NULL, step INTEGER NOT NULL,
                        bins TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE INDEX histograms_by_metric ON histograms(metric, step);
)";

/// SQL for byte `k` of the 8 bytes of point `i` in the blob `column`. SQLite has no way from bytes to
/// numbers, but a byte's value is its place in the blob 00 01 … FF (`every`).
std::string byteOf(const std::string& column, int k) {
    return fmt::format("(instr(every, substr({}, 8 * i + {}, 1)) - 1)", column, k + 1);
}

/// The little-endian integer of the first `count` of those bytes.
std::string integerOf(const std::string& column, int count) {
    std::string sql;
    for (int k = 0; k < count; ++k)
        sql += fmt::format("{}({} << {})", k ? " | " : "", byteOf(column, k), 8 * k);
    return "(" + sql + ")";
}

/// Points readable by hand in plain SQL. Blobs are cut into slices of 32 points first, because SQLite copies
/// a whole column for every byte asked of it. A double is (mantissa + hidden bit) * 2^(exponent - 1075); the
/// table scale has that power for every exponent, exactly, because doubling and halving are exact.
std::string views() {
    std::string everyByte;
    for (int b = 0; b < 256; ++b) everyByte += fmt::format("{:02X}", b);
    const std::string mantissa = fmt::format("({} | (({} & 15) << 48))", integerOf("v8", 6), byteOf("v8", 6));
    const std::string exponent =
        fmt::format("((({} & 127) << 4) | ({} >> 4))", byteOf("v8", 7), byteOf("v8", 6));
    return fmt::format(R"(
CREATE VIEW all_points AS
WITH RECURSIVE
  byte(every) AS (VALUES(X'{every}')),
  place(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM place WHERE i < 31),
  power(e, v) AS (VALUES(1075, 1.0)
                  UNION ALL SELECT e + 1, v * 2 FROM power WHERE e BETWEEN 1075 AND 2045
                  UNION ALL SELECT e - 1, v / 2 FROM power WHERE e BETWEEN 2 AND 1075),
  scale(e, v, hidden) AS MATERIALIZED (SELECT e, v, 1 << 52 FROM power
                                       UNION ALL SELECT 0, v, 0 FROM power WHERE e = 1
                                       UNION ALL VALUES(2047, 9e999, 1 << 52)),
  slice(metric, segment, seq, n, s8, w8, v8) AS MATERIALIZED (
    SELECT metric, segment, first_seq + 32 * i, min(32, count - 32 * i), substr(points, 256 * i + 1, 256),
           substr(points, 256 * i + 8 * count + 1, 256), substr(points, 256 * i + 16 * count + 1, 256)
    FROM sealed JOIN place ON 32 * i < count)
SELECT name AS metric, segment, seq + i AS seq, {step} AS step, {wall} / 1e6 AS wall,
       CASE WHEN {sign} > 127 THEN -1.0 ELSE 1.0 END *
       CASE WHEN v > 1e300 AND {mantissa} > 0 THEN NULL ELSE ({mantissa} + hidden) * v END AS value
FROM metrics JOIN slice ON slice.metric = metrics.id JOIN place ON i < n JOIN byte JOIN scale ON e = {exponent}
UNION ALL
SELECT name, segment, seq, step, wall, value FROM metrics JOIN scalars ON scalars.metric = metrics.id;
CREATE VIEW points AS
SELECT metric, step, wall, value FROM all_points
WHERE NOT EXISTS (SELECT 1 FROM segments WHERE id > all_points.segment AND start_step <= all_points.step);
)",
                       fmt::arg("every", everyByte), fmt::arg("step", integerOf("s8", 8)),
                       fmt::arg("wall", integerOf("w8", 8)), fmt::arg("sign", byteOf("v8", 7)),
                       fmt::arg("mantissa", mantissa), fmt::arg("exponent", exponent));
}

}  // namespace

const std::string& runSchema() {
    static const std::string schema =
        kTables + views() + fmt::format("PRAGMA user_version = {};", kRunSchemaVersion);
    return schema;
}

std::span<const SummedTable> summedTables() {
    static constexpr SummedTable kAll[] = {
        {"run", "key, value"},
        {"segments", "id, start_step, wall, reason"},
        {"metrics", "id, name, points, last_segment, last_step, last_value"},
        {"scalars", "metric, seq, segment, step, wall, value"},
        {"sealed", "metric, first_seq, count, segment, min, max, points"},
        {"events", "step, wall, kind, text"},
        {"log", "step, wall, level, text"},
        {"samples", "segment, step, prompt, input, output, reference, score, trace_file"},
        {"checkpoints", "path, step, sha256, metric, bytes, pinned"},
        {"traces", "path, segment, step, prompt, text, sha256, bytes"},
        {"histograms", "metric, segment, step, bins"},
    };
    return kAll;
}

namespace {

std::string columnsOf(std::string_view table) {
    const auto all = summedTables();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == table; });
    KURVE_CHECK(found != all.end(), "no table {}", table);
    return found->columns;
}

}  // namespace

std::string insertRow(std::string_view table, const char* how) {
    const std::string columns = columnsOf(table);
    std::string values;
    const auto count = 1 + std::count(columns.begin(), columns.end(), ',');
    for (std::int64_t i = 1; i <= count; ++i) values += fmt::format("{}?{}", i > 1 ? ", " : "", i);
    return fmt::format("{} INTO {}({}, sum) VALUES({}, checksum({}))", how, table, columns, values, values);
}

std::string soundRow(std::string_view table) {
    return fmt::format("(sum IS checksum({}))", columnsOf(table));
}

}  // namespace kurve::store::detail
