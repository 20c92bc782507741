#include "core/store/run_process.h"

#include <gtest/gtest.h>

#include "core/base/clock.h"
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

TEST(WriterMayRun, BelievesASignOfLifeFromWhereNobodyCanLook) {
    auto other = detail::ProcessIdentity::self().values();
    other["state"] = "running";
    EXPECT_TRUE(writerMayRun(other));
    other["pid_namespace"] = "a container's";
    other["heartbeat_wall"] = std::to_string(wallSeconds() - 10);
    EXPECT_TRUE(writerMayRun(other));
    other["state"] = "completed";
    EXPECT_FALSE(writerMayRun(other));
    other["state"] = "running";
    other["heartbeat_wall"] = std::to_string(wallSeconds() - 60);
    EXPECT_FALSE(writerMayRun(other));
    auto gone = detail::ProcessIdentity::self().values();
    gone["pid_started"] = "1";
    gone["heartbeat_wall"] = std::to_string(wallSeconds());
    EXPECT_FALSE(writerMayRun(gone)) << "its process can be looked for";
    EXPECT_FALSE(writerMayRun({}));
}

}  // namespace
}  // namespace kurve::store
