#include "core/store/detail/side_writer.h"

#include <sys/statfs.h>

#include "core/base/inside.h"
#include "core/store/detail/run_schema.h"
#include "core/store/run_writer.h"

namespace kurve::store::detail {

bool onNetwork(const std::filesystem::path& folder) {
    struct statfs info {};
    if (::statfs(folder.c_str(), &info) != 0) return false;
    const auto type = static_cast<std::uint32_t>(info.f_type);
    return type == 0x6969 || type == 0x517B || type == 0xFF534D42 ||
           type == 0xFE534D42;  // NFS, SMB, CIFS, SMB2
}

Error networkError(const std::filesystem::path& folder) {
    return requestError("store.network", "lies on a network file system, where a database is not safe")
        .in(folder.string())
        .fix("train in a project on a local disk and copy the run folder afterwards");
}

Error goneError(const std::filesystem::path& runFolder) {
    return workError("store.gone",
                     "run.db is no longer there: the run's folder was removed, moved or replaced")
        .in(runFolder.string());
}

Status checkOwn(const std::filesystem::path& runFolder) {
    KURVE_CHECKED(checkNoLink(runFolder));
    return checkNoLink(runFolder / "run.db");
}

Result<std::unique_ptr<Database>> openForWriting(const std::filesystem::path& file) {
    try {
        auto db = std::make_unique<Database>(file, Access::Write);
        const int version = db->version();
        if (version != 0 && version != kRunSchemaVersion)
            return otherVersion(version, kRunSchemaVersion, file);
        enableLog(*db);
        if (version == 0) {
            Transaction transaction(*db);
            db->execute(runSchema());
            transaction.commit();
        }
        return db;
    } catch (const SqliteFailure& failure) {
        return toError(failure, file);
    }
}

void restAsOneFile(Database& db) {
    try {
        db.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    } catch (const SqliteFailure&) {
    }
}

Status writeBeside(const std::filesystem::path& runFolder, const std::function<void(Database&)>& work) {
    const auto file = runFolder / "run.db";
    std::error_code ignored;
    KURVE_CHECKED(checkOwn(runFolder));
    if (!std::filesystem::is_regular_file(file, ignored))
        return requestError("store.missing", "there is no run here").in(file.string());
    if (onNetwork(runFolder)) return networkError(runFolder);
    try {
        Database db(file, Access::Write);
        const int version = db.version();
        if (version == 0) return requestError("store.missing", "holds no run yet").in(file.string());
        if (version != kRunSchemaVersion) return otherVersion(version, kRunSchemaVersion, file);
        Transaction transaction(db);
        work(db);
        transaction.commit();
        return {};
    } catch (const SqliteFailure& failure) {
        return toError(failure, file);
    }
}

}  // namespace kurve::store::detail
