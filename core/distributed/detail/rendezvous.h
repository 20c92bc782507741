#pragma once

#include <memory>
#include <optional>

#include "core/distributed/detail/store.h"
#include "core/distributed/process_group.h"
#include "core/distributed/shared_slots.h"

namespace kurve::distributed::detail {

/// Rank 0 listens, the others connect to it; `port` becomes the one that is open. Errors: distributed.port,
/// distributed.unreachable.
Result<StorePointer> openStore(const JoinRequest& request, std::uint16_t& port);
/// Tells the others of this rank. Errors: distributed.environment where there is one of its number.
Status checkIn(c10d::Store& store, const RankEnvironment& at);
/// Returns when all ranks are there. Errors: distributed.unreachable, distributed.environment,
/// distributed.rank_lost, those of the request's functions.
Status meet(c10d::Store& store, const JoinRequest& request, std::uint16_t port);
/// Null where the ranks are on several machines, or in containers that share no memory.
std::unique_ptr<SharedSlots> shareMemory(c10d::Store& store, const RankEnvironment& at);

[[nodiscard]] Error unreachable(const RankEnvironment& at, double seconds, const std::string& problem);

/// Why the first rank that failed has ended.
std::optional<Error> failureIn(c10d::Store& store);
/// The same of a store that may be gone.
std::optional<Error> reasonIn(c10d::Store& store) noexcept;
/// Tells the others why this rank ends. `at`: its number, and whether it serves the store.
void noteFailure(c10d::Store& store, const RankEnvironment& at, const Error& error) noexcept;

}  // namespace kurve::distributed::detail
