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
    ASSERT_TRUE(store::RunWriter::open(run));
    auto row = requestedTraceRow(run, "a prompt", {"a", "last", "", 7});
    ASSERT_TRUE(row) << row.error().text();
    EXPECT_EQ(row->step, 7);
    const auto growing = growingRunTrace(run, *row);
    ASSERT_TRUE(growing) << growing.error().text();
    RecordedTrace recorded;
    recorded.writer = std::make_unique<trace::TraceWriter>(trace::TraceWriter::Options{*growing});
    recorded.writer->begin(2);
    recorded.writer->append(test::syntheticTrace({4, 2}));
    EXPECT_TRUE(std::filesystem::exists(*growing));
    ASSERT_TRUE(saveRunTrace(run, recorded, *row));
    EXPECT_EQ(static_cast<std::uintmax_t>(row->bytes), std::filesystem::file_size(run / row->path.text()));
    recorded.writer.reset();
    EXPECT_FALSE(std::filesystem::exists(*growing));

    std::filesystem::remove_all(run);
    const auto lost = requestedTraceRow(run, "a prompt", {"a", "last", "", 7});
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, "store.gone");
    EXPECT_FALSE(lost.error().remedy.empty());
    EXPECT_FALSE(std::filesystem::exists(run));
}

}  // namespace
}  // namespace kurve::train
