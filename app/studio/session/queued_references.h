#pragma once

#include <QStringList>
#include <filesystem>

#include "views/common/data/engine_info.h"
#include "views/launch/queue_state.h"

namespace kurve::studio {

/// The titles of the trainings that wait in the queue and whose settings name this run: they need it until
/// they have started.
[[nodiscard]] QStringList queuedWith(const QString& run, const views::QueueState& queue,
                                     const views::EngineInfo& engine, const std::filesystem::path& project);

}  // namespace kurve::studio
