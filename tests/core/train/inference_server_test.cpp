// Traces saved by the inference server.
#include "core/train/inference_server.h"

#include <gtest/gtest.h>

#include "core/store/run_writer.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"

namespace kurve::train {
namespace {

TEST(RequestedTrace, IsSavedInAnExistingRunOnly) {
    const testing::TemporaryFolder folder;
    const auto run = folder / "runs" / "a";
    const trace::Trace trace = test::syntheticTrace({4, 2});
    ASSERT_TRUE(store::RunWriter::open(run));
    const auto saved = writeRequestedTrace(run, "a prompt", {"a", "last", "", 7}, trace);
    ASSERT_TRUE(saved) << saved.error().text();
    EXPECT_EQ(saved->step, 7);
    EXPECT_TRUE(std::filesystem::exists(run / saved->path.text()));

    std::filesystem::remove_all(run);
    const auto lost = writeRequestedTrace(run, "a prompt", {"a", "last", "", 7}, trace);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, "store.gone");
    EXPECT_FALSE(lost.error().remedy.empty());
    EXPECT_FALSE(std::filesystem::exists(run));
}

}  // namespace
}  // namespace kurve::train
