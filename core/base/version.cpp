#include "core/base/version.h"

namespace kurve {

const char* versionText() {
    return KURVE_VERSION;
}
const char* commitText() {
    return KURVE_COMMIT;
}

}  // namespace kurve
