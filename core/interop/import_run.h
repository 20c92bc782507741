#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/interop/scalar_log.h"
#include "core/store/project.h"

namespace kurve::interop {

inline constexpr const char* kImportedFamily = "imported";

struct ImportRequest {
    std::filesystem::path source;
    std::string format;  ///< id of a LogFormat; empty: by the source's name
    std::string name;    ///< of the run; empty: the source's. Several runs: name/sub-folder
    std::string run;     ///< id of the run; empty: a new one
    ReadOptions reading;
    bool force = false;  ///< import also what the project has already
    CancelToken cancel;
    std::function<void(const std::string&)> notify = {};  ///< notices about the index
};

struct ImportedRun {
    std::string id, name;
    std::string source, sha256;  ///< of the file; of several: of the lines "<SHA-256>  <name>"
    std::vector<std::string> metrics;
    std::int64_t points = 0, lastStep = 0, attempts = 0;
    std::vector<std::string> notes;
};

/// Makes finished runs of another program's curves, so that they sit beside the project's own: family
/// "imported", state "completed", started and ended by the logged times (0 where there are none), source file
/// and hash in the keys source, source_format, source_sha256 and source_files of table run. All of them
/// appear, or none. Any thread. Errors: those of reading; import.exists (the same bytes are a run already),
/// import.several (an id for more than one run), run.exists, run.bad_id, cancelled, io.write.
Result<std::vector<ImportedRun>> importRuns(const ImportRequest& request, const store::Project& project);

/// {"run","name","source","sha256","metrics","points","last_step","attempts","notes"}
[[nodiscard]] nlohmann::json toJson(const ImportedRun& run);

}  // namespace kurve::interop
