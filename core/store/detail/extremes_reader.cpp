#include "core/store/detail/extremes_reader.h"

#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/store/detail/run_schema.h"
#include "core/store/detail/shadows.h"

namespace kurve::store::detail {
namespace {

/// Neither for what lies between, nor for what is not a number.
bool isOutside(const Extremes& extremes, double value) {
    return value < extremes.low || value > extremes.high;
}

void take(Extremes& extremes, std::int64_t step, double value) {
    if (!std::isfinite(value)) return;
    if (value < extremes.low) extremes.low = value, extremes.lowStep = step;
    if (value > extremes.high) extremes.high = value, extremes.highStep = step;
}

/// Reads the points of one metric after another.
class ExtremesReader {
public:
    explicit ExtremesReader(Database& db)
        : shadows_(db),
          blocks_(db.prepare(
              "SELECT first_seq, segment, min, max, first_seq + count FROM sealed WHERE metric = ?1 AND "
              "first_seq > ?2 AND first_seq + count > ?3 ORDER BY first_seq")),
          points_(db.prepare("SELECT count, points, " + soundRow("sealed") +
                             " FROM sealed WHERE metric = ?1 AND first_seq = ?2")),
          hot_(db.prepare(
              "SELECT value, segment, step, seq FROM scalars WHERE metric = ?1 AND seq >= ?2 ORDER BY seq")) {
    }

    [[nodiscard]] std::int64_t newestSegment() const { return shadows_.newest(); }

    void read(std::int64_t metric, Extremes& extremes) {
        const std::int64_t from = extremes.next;
        readSealed(metric, extremes);
        hot_.each(
            [&] {
                extremes.next = std::max(extremes.next, hot_.integer(3) + 1);
                const double value = hot_.real(0);  // hardly any of thousands is worth asking for more
                if (isOutside(extremes, value) && hot_.integer(2) < shadows_.from(hot_.integer(1)))
                    take(extremes, hot_.integer(2), value);
            },
            metric, from);
    }

private:
    /// At most the two blocks that hold the extremes are unpacked, and those that a later attempt may shadow.
    void readSealed(std::int64_t metric, Extremes& extremes) {
        std::optional<std::int64_t> lowest, highest;
        std::map<std::int64_t, std::int64_t> wanted;  // first seq: the first step that is not shown
        double low = extremes.low, high = extremes.high;
        const std::int64_t from = extremes.next;
        blocks_.each(
            [&] {
                extremes.next = std::max(extremes.next, blocks_.integer(4));
                const std::int64_t first = blocks_.integer(0),
                                   shownBefore = shadows_.from(blocks_.integer(1));
                if (shownBefore != INT64_MAX) return void(wanted[first] = shownBefore);
                if (blocks_.real(2) < low) low = blocks_.real(2), lowest = first;
                if (blocks_.real(3) > high) high = blocks_.real(3), highest = first;
            },
            metric, from - static_cast<std::int64_t>(kSealedPoints), from);
        for (const auto& block : {lowest, highest})
            if (block) wanted[*block] = INT64_MAX;
        for (const auto& [first, shownBefore] : wanted)  // in their order: the first step counts
            readBlock(metric, first, shownBefore, extremes);
    }

    void readBlock(std::int64_t metric, std::int64_t first, std::int64_t shownBefore, Extremes& extremes) {
        points_.each(
            [&] {
                const auto count = static_cast<std::size_t>(points_.integer(0));
                const auto blob = points_.blob(1);
                if (count > kSealedPoints || blob.size() != count * kPointBytes || points_.integer(2) == 0)
                    throw SqliteFailure(SQLITE_CORRUPT, "a block of points does not match its checksum");
                std::int64_t step = 0;
                double value = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    std::memcpy(&step, blob.data() + 8 * i, 8);
                    std::memcpy(&value, blob.data() + 8 * (2 * count + i), 8);
                    if (step < shownBefore) take(extremes, step, value);
                }
            },
            metric, first);
    }

    Shadows shadows_;
    Statement blocks_, points_, hot_;
};

template <class Value>
void put(std::vector<std::byte>& out, const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
}

template <class Value>
bool get(std::span<const std::byte>& in, Value& value) {
    if (in.size() < sizeof value) return false;
    std::memcpy(&value, in.data(), sizeof value);
    in = in.subspan(sizeof value);
    return true;
}

}  // namespace

RunExtremes readExtremes(Database& db, const RunExtremes* maybeBefore) {
    ExtremesReader reader(db);
    std::map<std::string, Extremes> known;
    if (maybeBefore && maybeBefore->segment == reader.newestSegment())
        for (const Extremes& one : maybeBefore->metrics) known[one.metric] = one;
    struct Grown {
        std::int64_t id, points;
        std::string name;
    };
    std::vector<Grown> all;
    Statement rows = db.prepare("SELECT id, points, name FROM metrics WHERE points > 0");
    rows.each([&] { all.push_back({rows.integer(0), rows.integer(1), rows.text(2)}); });
    for (const Grown& metric : all) {
        Extremes& extremes = known[metric.name];
        extremes.metric = metric.name;
        if (extremes.next == metric.points) continue;
        if (extremes.next > metric.points) extremes = {.metric = metric.name};  // another run in its place
        reader.read(metric.id, extremes);
    }
    RunExtremes read{reader.newestSegment(), {}};
    for (auto& [name, extremes] : known) read.metrics.push_back(std::move(extremes));
    return read;
}

std::vector<std::byte> packed(const RunExtremes& extremes) {
    std::vector<std::byte> out;
    put(out, extremes.segment);
    for (const Extremes& one : extremes.metrics) {
        put(out, static_cast<std::uint32_t>(one.metric.size()));
        const auto* name = reinterpret_cast<const std::byte*>(one.metric.data());
        out.insert(out.end(), name, name + one.metric.size());
        for (const double value : {one.low, one.high}) put(out, value);
        for (const std::int64_t number : {one.lowStep, one.highStep, one.next}) put(out, number);
    }
    return out;
}

RunExtremes unpacked(std::span<const std::byte> in) {
    RunExtremes extremes;
    std::uint32_t size = 0;
    if (!get(in, extremes.segment)) return extremes;
    while (get(in, size) && size <= in.size()) {
        Extremes one;
        one.metric.assign(reinterpret_cast<const char*>(in.data()), size);
        in = in.subspan(size);
        if (!get(in, one.low) || !get(in, one.high) || !get(in, one.lowStep) || !get(in, one.highStep) ||
            !get(in, one.next))
            break;
        extremes.metrics.push_back(std::move(one));
    }
    return extremes;
}

}  // namespace kurve::store::detail
