#include "core/store/run_process.h"

#include <gtest/gtest.h>

#include "core/store/detail/process.h"

namespace kurve::store {
namespace {

TEST(WriterRunsHere, IsTrueOfThisProcessAndOfNobodyElsesNumber) {
    const auto own = detail::ProcessIdentity::self().values();
    EXPECT_TRUE(writerRunsHere(own));
    // The same number, which lives here, of another start, machine or container.
    for (const char* key : {"pid_started", "boot_id", "pid_namespace"}) {
        auto other = own;
        other[key] = "another";
        EXPECT_FALSE(writerRunsHere(other)) << key;
    }
    EXPECT_FALSE(writerRunsHere({})) << "a run that does not say";
}

}  // namespace
}  // namespace kurve::store
