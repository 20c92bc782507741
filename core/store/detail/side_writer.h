#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

/// True for NFS and SMB, where a database must not be written.
[[nodiscard]] bool onNetwork(const std::filesystem::path& folder);
[[nodiscard]] Error networkError(const std::filesystem::path& folder);

/// Of a run.db that has lost its name: SQLite goes on writing into it, and nobody will ever read it.
[[nodiscard]] Error goneError(const std::filesystem::path& runFolder);

/// A run's folder and its run.db are themselves, no links to somebody else's. Errors: io.link.
Status checkOwn(const std::filesystem::path& runFolder);

/// A run.db for its one writer, made where there is none. Errors: store.newer_version, store.older_version,
/// store.damaged, io.write.
Result<std::unique_ptr<Database>> openForWriting(const std::filesystem::path& file);
/// Unless somebody is reading, a run at rest is one file: easy to copy, readable where nothing may be
/// written. Else it stays a file and its log, which is as good.
void restAsOneFile(Database& db);

/// For a program that is not the run's writer: work() in one transaction on the run's run.db, which must have
/// the present version. Errors: store.*, io.write.
Status writeBeside(const std::filesystem::path& runFolder, const std::function<void(Database&)>& work);

}  // namespace kurve::store::detail
