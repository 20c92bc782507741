#include "views/common/data/imported_run.h"

#include "core/interop/import_run.h"

namespace kurve::views {

bool isImported(const RunData& data) {
    return data.summary.family == interop::kImportedFamily;
}

}  // namespace kurve::views
