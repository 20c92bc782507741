// Edits of machines.toml: what a person wrote there stays.
#include "core/remote/machines_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve::remote {
namespace {

const std::filesystem::path kProject = "/p/study";

constexpr const char* kTwo = R"(# Machines of the group.
[gpu]  # in the cellar
host = "ann@gpu"  # her account
# where the fast disk is
folder = "/fast/study"

# Ask before use.
[other]
host = "other"
)";

TEST(MachinesEditTest, AChangedKeyKeepsCommentsAndOrder) {
    const auto text = withMachine(kProject, kTwo, {"gpu", "bob@gpu", "/opt/kurve", "/fast/study"}, "gpu");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(*text, R"(# Machines of the group.
[gpu]  # in the cellar
host = "bob@gpu"  # her account
# where the fast disk is
folder = "/fast/study"
program = "/opt/kurve"

# Ask before use.
[other]
host = "other"
)");
}

TEST(MachinesEditTest, ARenamedOneStaysWhereItIs) {
    const auto text = withMachine(kProject, kTwo, {"big", "ann@gpu", "kurve", "/fast/study"}, "gpu");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_NE(text->find("[big]  # in the cellar\nhost = \"ann@gpu\""), text->npos) << *text;
    EXPECT_EQ(text->find("[gpu]"), text->npos);
}

TEST(MachinesEditTest, DefaultsAreLeftOut) {
    const auto text = withMachine(kProject, kTwo, {"gpu", "ann@gpu", "", ""}, "gpu");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(text->find("/fast/study"), text->npos) << *text;
    EXPECT_EQ(parseMachines(kProject, *text)->front().folder, defaultFolder(kProject));
}

TEST(MachinesEditTest, ANewOneComesToTheEnd) {
    const auto first = withMachine(kProject, "", {"gpu", "ann@gpu", "kurve", ""}, "");
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_EQ(*first, "[gpu]\nhost = \"ann@gpu\"\n");
    const auto second = withMachine(kProject, *first, {"a", "b", "kurve", "~/x"}, "");
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_EQ(*second, "[gpu]\nhost = \"ann@gpu\"\n\n[a]\nhost = \"b\"\nfolder = \"~/x\"\n");
}

TEST(MachinesEditTest, ARemovedOneLeavesTheOthersWithTheirComments) {
    const auto text = withoutMachine(kProject, kTwo, "gpu");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(*text, "# Machines of the group.\n# Ask before use.\n[other]\nhost = \"other\"\n");
    EXPECT_EQ(*withoutMachine(kProject, *text, "other"), "# Machines of the group.\n# Ask before use.\n");
    EXPECT_EQ(withoutMachine(kProject, kTwo, "none").error().code, "machines.unknown");
}

TEST(MachinesEditTest, WhatTheReaderRefusesIsNotWritten) {
    const auto error = [](const Machine& machine, const std::string& before) {
        const auto text = withMachine(kProject, kTwo, machine, before);
        return text ? "written: " + *text : text.error().code;
    };
    EXPECT_EQ(error({"other", "x", "kurve", ""}, ""), "machines.bad_value") << "the name is taken";
    EXPECT_EQ(error({"other", "x", "kurve", ""}, "gpu"), "machines.bad_value") << "also by a new name";
    EXPECT_EQ(error({"new", "-oProxyCommand=x", "kurve", ""}, ""), "machines.bad_value");
    EXPECT_EQ(error({"gpu", "x", "kurve", "relative"}, "gpu"), "machines.bad_value");
    for (const char* name : {"a]\n[b", "two words", "a.b", ""})
        EXPECT_EQ(error({name, "x", "kurve", ""}, "gpu"), "machines.bad_value") << name;
}

TEST(MachinesEditTest, ATableInAnotherFormIsLeftToAnEditor) {
    const std::string text = "gpu = {host = \"x\"}\n";
    EXPECT_EQ(withMachine(kProject, text, {"gpu", "y", "kurve", ""}, "gpu").error().code, "machines.syntax");
    EXPECT_EQ(withoutMachine(kProject, text, "gpu").error().code, "machines.syntax");
}

}  // namespace
}  // namespace kurve::remote
