#pragma once

struct sqlite3;

namespace kurve::store::detail {

/// Gives a connection the SQL function checksum(value, …): a number of 64 bits that another value, type or
/// order changes. Any change within eight bytes is certain to be seen. -0.0 counts as 0.0, which is how
/// SQLite keeps it.
void addChecksum(sqlite3* db);

}  // namespace kurve::store::detail
