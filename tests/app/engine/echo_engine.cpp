#include "models/families.h"
#include "tests/core/train/echo_family.h"

namespace kurve::testing {
namespace {

[[maybe_unused]] const bool kAdded = [] {
    models::testOnlyAddFamily(std::make_unique<train::testing::EchoFamily>());
    return true;
}();

}  // namespace
}  // namespace kurve::testing
