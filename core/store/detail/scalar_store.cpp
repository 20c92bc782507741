#include "core/store/detail/scalar_store.h"

#include <cmath>
#include <cstring>

#include "core/store/detail/run_schema.h"

namespace kurve::store::detail {
namespace {

std::int64_t microseconds(double wall) {
    return std::isfinite(wall) ? std::llround(wall * 1e6) : 0;
}

}  // namespace

ScalarStore::ScalarStore(Database& db)
    : db_(db),
      insertMetric_(db.prepare(
          "INSERT INTO metrics(id, name, sum) VALUES(?1, ?2, checksum(?1, ?2, 0, NULL, NULL, NULL))")),
      updateMetric_(
          db.prepare("UPDATE metrics SET points = ?2, last_segment = ?3, last_step = ?4, last_value = ?5, "
                     "sum = checksum(id, name, ?2, ?3, ?4, ?5) WHERE id = ?1")),
      insertPoint_(db.prepare(insertRow("scalars"))),
      oldestPoints_(db.prepare("SELECT seq, segment, step, wall, value FROM scalars WHERE metric = ?1 "
                               "ORDER BY seq LIMIT ?2")),
      insertSealed_(db.prepare(insertRow("sealed"))),
      deletePoints_(db.prepare("DELETE FROM scalars WHERE metric = ?1 AND seq < ?2")) {}

std::vector<std::string> ScalarStore::loadMetrics() {
    std::vector<std::string> names;
    Statement rows = db_.prepare(
        "SELECT name, points, (SELECT count(*) FROM scalars WHERE metric = metrics.id) FROM metrics "
        "ORDER BY id");
    rows.each([&] {
        names.push_back(rows.text(0));
        tails_.push_back({rows.integer(1), rows.integer(2)});
    });
    return names;
}

void ScalarStore::addMetric(const std::string& name) {
    tails_.emplace_back();
    insertMetric_.run(static_cast<std::int64_t>(tails_.size()), name);
}

void ScalarStore::addPoints(const std::vector<Point>& points) {
    std::vector<const Point*> last(tails_.size(), nullptr);
    for (const Point& p : points) {
        Tail& tail = tails_[static_cast<std::size_t>(p.metric)];
        insertPoint_.run(p.metric + 1, tail.next++, p.segment, p.step,
                         static_cast<double>(microseconds(p.wall)) / 1e6, p.value);
        ++tail.hot;
        last[static_cast<std::size_t>(p.metric)] = &p;
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
        if (!last[i]) continue;
        updateMetric_.run(static_cast<std::int64_t>(i + 1), tails_[i].next, last[i]->segment, last[i]->step,
                          last[i]->value);
        while (tails_[i].hot >= static_cast<std::int64_t>(kSealedPoints)) sealOldest(i);
    }
}

ScalarStore::Chunk ScalarStore::oldest(std::int64_t metric) {
    Chunk chunk;
    bool sameSegment = true;
    oldestPoints_.each(
        [&] {
            if (chunk.step.empty()) {
                chunk.firstSeq = oldestPoints_.integer(0);
                chunk.segment = oldestPoints_.integer(1);
            }
            sameSegment = sameSegment && oldestPoints_.integer(1) == chunk.segment;
            if (!sameSegment) return;
            chunk.step.push_back(oldestPoints_.integer(2));
            chunk.wall.push_back(microseconds(oldestPoints_.real(3)));
            chunk.value.push_back(oldestPoints_.real(4));
        },
        metric, static_cast<std::int64_t>(kSealedPoints));
    return chunk;
}

void ScalarStore::sealOldest(std::size_t index) {
    const auto metric = static_cast<std::int64_t>(index + 1);
    const Chunk chunk = oldest(metric);
    const std::size_t n = chunk.step.size();
    std::vector<std::byte> blob(n * kPointBytes);
    std::memcpy(blob.data(), chunk.step.data(), 8 * n);
    std::memcpy(blob.data() + 8 * n, chunk.wall.data(), 8 * n);
    std::memcpy(blob.data() + 16 * n, chunk.value.data(), 8 * n);
    double low = NAN, high = NAN;
    for (const double v : chunk.value) {
        if (!std::isfinite(v)) continue;
        low = std::fmin(low, v);
        high = std::fmax(high, v);
    }
    insertSealed_.run(metric, chunk.firstSeq, static_cast<std::int64_t>(n), chunk.segment, low, high,
                      std::span<const std::byte>(blob));
    deletePoints_.run(metric, chunk.firstSeq + static_cast<std::int64_t>(n));
    tails_[index].hot -= static_cast<std::int64_t>(n);
}

}  // namespace kurve::store::detail
