#include "core/store/detail/checksum.h"

#include <sqlite3.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace kurve::store::detail {
namespace {

// Each step can be undone: two sums that differ stay different.
std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    return sum ^ (sum >> 32U);
}

std::uint64_t mixedBytes(std::uint64_t sum, const void* bytes, int size) {
    const auto* at = static_cast<const char*>(bytes);
    auto left = static_cast<std::size_t>(size);
    for (std::uint64_t word = 0; left >= sizeof word; at += sizeof word, left -= sizeof word) {
        std::memcpy(&word, at, sizeof word);
        sum = mixed(sum, word);
    }
    std::uint64_t word = 0;
    if (left > 0) std::memcpy(&word, at, left);
    return mixed(mixed(sum, word), static_cast<std::uint64_t>(size));
}

std::uint64_t mixedValue(std::uint64_t sum, sqlite3_value* value) {
    const int type = sqlite3_value_type(value);
    sum = mixed(sum, static_cast<std::uint64_t>(type));
    switch (type) {
        case SQLITE_INTEGER:
            return mixed(sum, static_cast<std::uint64_t>(sqlite3_value_int64(value)));
        case SQLITE_FLOAT:
            return mixed(sum, std::bit_cast<std::uint64_t>(sqlite3_value_double(value) + 0.0));
        case SQLITE_TEXT:
        case SQLITE_BLOB: {
            const void* bytes = type == SQLITE_TEXT ? sqlite3_value_text(value) : sqlite3_value_blob(value);
            return mixedBytes(sum, bytes, sqlite3_value_bytes(value));
        }
        default:
            return sum;
    }
}

void checksum(sqlite3_context* context, int count, sqlite3_value** values) {
    std::uint64_t sum = 0;
    for (int i = 0; i < count; ++i) sum = mixedValue(sum, values[i]);
    sqlite3_result_int64(context, static_cast<std::int64_t>(sum));
}

}  // namespace

void addChecksum(sqlite3* db) {
    sqlite3_create_function_v2(db, "checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, checksum,
                               nullptr, nullptr, nullptr);
}

}  // namespace kurve::store::detail
