#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/wire/message.h"

namespace kurve::engine {

/// Sends one request to the engine that trains the run in `runFolder`, through its control socket, and waits
/// for the answer with the same id (the engine reads commands between two steps). An error event is returned
/// as an Error. Errors: wire.no_engine, wire.no_answer, those of the engine.
Result<wire::Message> askEngine(const std::filesystem::path& runFolder, const wire::Message& request);

}  // namespace kurve::engine
