#pragma once

#include "core/distributed/detail/rank_monitor.h"
#include "core/distributed/exchange.h"
#include "core/distributed/process_group.h"

namespace kurve::distributed::detail {

/// LibTorch's Gloo, between machines. Blocks until every rank is connected; throws where one does not come.
/// `monitor` outlives it.
std::unique_ptr<Exchange> makeGlooExchange(const JoinRequest& request, const StorePointer& store,
                                           RankMonitor& monitor);

}  // namespace kurve::distributed::detail
