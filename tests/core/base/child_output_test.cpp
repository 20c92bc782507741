#include "core/base/child_output.h"

#include <gtest/gtest.h>

namespace kurve {
namespace {

TEST(ChildOutput, IsWhatTheProgramWrote) {
    const auto output = childOutput({"printf", "%s|%s", "a b", "$HOME"}, 100, 30);
    ASSERT_TRUE(output);
    EXPECT_EQ(output->text, "a b|$HOME");  // no shell has read it
    EXPECT_TRUE(output->complete);
}

TEST(ChildOutput, EndsAtTheLimit) {
    const auto output = childOutput({"yes"}, 1000, 30);
    ASSERT_TRUE(output);
    EXPECT_EQ(output->text.size(), 1000U);
    EXPECT_EQ(output->text.substr(0, 4), "y\ny\n");
    EXPECT_FALSE(output->complete);
}

TEST(ChildOutput, IsNothingWhereTheProgramFails) {
    EXPECT_FALSE(childOutput({"false"}, 100, 30));
    EXPECT_FALSE(childOutput({"there-is-no-such-program"}, 100, 30));
    EXPECT_FALSE(childOutput({"sleep", "60"}, 100, 0.05));
}

}  // namespace
}  // namespace kurve
