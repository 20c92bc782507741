#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

struct Point {
    std::int32_t metric = 0;  ///< index into the tails, id - 1 in the table
    std::int32_t segment = 0;
    std::int64_t step = 0;
    double wall = 0, value = 0;
};

/// The end of one metric's points as the database has it.
struct Tail {
    std::int64_t next = 0;  ///< seq of the next point
    std::int64_t hot = 0;   ///< points that are rows
};

/// The tables that hold curves, as the writer's thread sees them: inserts points and seals the oldest.
/// Failures are thrown.
class ScalarStore {
public:
    explicit ScalarStore(Database& db);

    [[nodiscard]] Database& db() { return db_; }
    /// Names of the metrics in the order of their ids; call once, before anything else.
    std::vector<std::string> loadMetrics();
    void addMetric(const std::string& name);
    void addPoints(const std::vector<Point>& points);

    /// A failed transaction takes its changes of the tails with it.
    [[nodiscard]] std::vector<Tail> tails() const { return tails_; }
    void restore(std::vector<Tail> tails) { tails_ = std::move(tails); }

private:
    struct Chunk {
        std::int64_t firstSeq = 0, segment = 0;
        std::vector<std::int64_t> step, wall;
        std::vector<double> value;
    };

    Chunk oldest(std::int64_t metric);
    void sealOldest(std::size_t index);

    Database& db_;
    Statement insertMetric_, updateMetric_, insertPoint_, oldestPoints_, insertSealed_, deletePoints_;
    std::vector<Tail> tails_;
};

}  // namespace kurve::store::detail
