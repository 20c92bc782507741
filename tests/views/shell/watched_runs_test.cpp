// The data of runs are kept while somebody watches them.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <optional>

#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/run_catalog.h"

namespace kurve::views {
namespace {

class WatchedRunsTest : public ::testing::Test {
protected:
    WatchedRunsTest() {
        test::guiApp();
        std::ofstream(folder_ / "project.toml") << "name = \"t\"\n";
        project_ = *store::Project::open(folder_.path());
        for (const char* id : {"a", "b"}) {
            auto writer = *store::RunWriter::open(project_->runFolder(id));
            writer->set("id", id);
            EXPECT_TRUE(writer->flush());
        }
        catalog_.emplace(*project_);
    }
    bool soon(const std::function<bool()>& holds) { return test::waitFor(holds, 30000); }
    bool has(const char* id) { return catalog_->data(id) != nullptr; }

    kurve::testing::TemporaryFolder folder_;
    std::optional<store::Project> project_;
    std::optional<RunCatalog> catalog_;
};

TEST_F(WatchedRunsTest, EndWithTheLastWatcher) {
    std::optional<WatchedRuns> first(std::in_place, &*catalog_, QStringList{"a"});
    ASSERT_TRUE(soon([&] { return has("a"); }));
    std::optional<WatchedRuns> second(std::in_place, &*catalog_, QStringList{"a"});
    first.reset();
    EXPECT_TRUE(has("a")) << "the second needs them";
    second.reset();
    EXPECT_FALSE(has("a"));
}

TEST_F(WatchedRunsTest, AnotherSetKeepsTheDataOfRunsInBoth) {
    WatchedRuns watched(&*catalog_, {"a", ""});
    EXPECT_EQ(watched.ids(), QStringList{"a"}) << "an empty id is no run";
    ASSERT_TRUE(soon([&] { return has("a"); }));
    EXPECT_FALSE(watched.set({"a"}));
    EXPECT_TRUE(watched.set({"b", "a"}));
    EXPECT_TRUE(has("a"));
    ASSERT_TRUE(soon([&] { return has("b"); }));
    EXPECT_TRUE(watched.set({"b"}));
    EXPECT_FALSE(has("a"));
    EXPECT_TRUE(has("b"));
}

TEST_F(WatchedRunsTest, MayOutliveTheCatalog) {
    WatchedRuns watched(&*catalog_, {"a"});
    catalog_.reset();
    EXPECT_TRUE(watched.set({"b"}));
    WatchedRuns none(nullptr, {"a"});
    EXPECT_TRUE(none.contains("a"));
}

}  // namespace
}  // namespace kurve::views
