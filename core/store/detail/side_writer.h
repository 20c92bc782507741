#pragma once

#include <filesystem>
#include <functional>

#include "core/base/result.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

/// True for NFS and SMB, where a database must not be written.
[[nodiscard]] bool onNetwork(const std::filesystem::path& folder);
[[nodiscard]] Error networkError(const std::filesystem::path& folder);

/// A run's folder and its run.db are themselves, no links to somebody else's. Errors: io.link.
Status checkOwn(const std::filesystem::path& runFolder);

/// For a program that is not the run's writer: work() in one transaction on the run's run.db, which must have
/// the present version. Errors: store.*, io.write.
Status writeBeside(const std::filesystem::path& runFolder, const std::function<void(Database&)>& work);

}  // namespace kurve::store::detail
