#include "core/store/run_process.h"

#include "core/store/detail/process.h"

namespace kurve::store {

bool writerRunsHere(const std::map<std::string, std::string>& values) {
    return detail::stateOf(detail::ProcessIdentity::fromValues(values)) == detail::ProcessState::Alive;
}

}  // namespace kurve::store
