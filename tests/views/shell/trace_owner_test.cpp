// The owner of a trace, as the trace views show it.
#include "views/common/data/trace_owner.h"

#include <gtest/gtest.h>

#include "core/store/project.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/common/shell/selection.h"

namespace kurve::views {
namespace {

TEST(TraceOwner, IsTheNameOfTheRunInTheRunList) {
    test::guiApp();
    const kurve::testing::TemporaryFolder folder;
    kurve::testing::writeSyntheticProject(folder.path());
    kurve::testing::writeSyntheticRun(folder.path(), {.id = "20261120-100000-0001", .name = "first"});
    kurve::testing::writeSyntheticRun(folder.path(), {.id = "20261120-110000-0002", .name = ""});
    auto project = store::Project::open(folder.path());
    ASSERT_TRUE(project) << project.error().text();
    RunCatalog catalog(*project);
    ASSERT_TRUE(test::waitFor([&] { return catalog.complete() && catalog.runs().size() == 2; }));
    Selection selection;
    StudioContext context;
    context.catalog = &catalog;
    context.selection = &selection;
    trace::Trace trace;
    EXPECT_EQ(ownerOf(trace, context).text, "") << "of no run";
    trace.meta["run"] = "20261120-100000-0001";
    EXPECT_EQ(ownerOf(trace, context).text, "first");
    trace.meta["run"] = "20261120-110000-0002";
    EXPECT_EQ(ownerOf(trace, context).text, "20261120-110000-0002") << "it has no name";
    trace.meta["run"] = "20261120-120000-0003";
    trace.meta["checkpoint_step"] = "12000";
    EXPECT_TRUE(ownerOf(trace, context).text.startsWith("20261120-120000-0003, step 12"))
        << "not in this project";
}

}  // namespace
}  // namespace kurve::views
