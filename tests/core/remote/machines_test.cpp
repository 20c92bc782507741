#include "core/remote/machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace kurve::remote {
namespace {

using ::testing::HasSubstr;

class MachinesTest : public ::testing::Test {
protected:
    void write(const std::string& text) const { std::ofstream(folder_ / kMachinesFile) << text; }
    [[nodiscard]] Error errorOf(const std::string& text) const {
        write(text);
        const auto machines = readMachines(folder_.path());
        return machines ? Error{} : machines.error();
    }
    testing::TemporaryFolder folder_;
};

// printf /p/letters | sha256sum
TEST_F(MachinesTest, ProjectsOfOneNameHaveFoldersOfTheirOwn) {
    EXPECT_EQ(defaultFolder("/p/letters"), "~/.local/share/kurve/projects/letters-6e0a1645");
    EXPECT_NE(defaultFolder("/p/letters"), defaultFolder("/q/letters"));
    std::filesystem::create_directory(folder_ / "project");
    std::filesystem::create_directory_symlink(folder_ / "project", folder_ / "link");
    EXPECT_EQ(defaultFolder(folder_ / "link"), defaultFolder(folder_ / "project")) << "it is one project";
}

TEST_F(MachinesTest, ReadsWhatIsThereAndTheDefaults) {
    EXPECT_TRUE(readMachines(folder_.path())->empty()) << "without a file";
    write(
        "[gpu]\nhost = \"me@gpu.lab\"\n[other]\nhost = \"o\"\nprogram = \"/opt/kurve\"\nfolder = \"~/x "
        "y\"\n");
    const auto machines = readMachines(folder_.path());
    ASSERT_TRUE(machines);
    ASSERT_EQ(machines->size(), 2U);
    EXPECT_EQ((*machines)[0].name, "gpu");
    EXPECT_EQ((*machines)[0].host, "me@gpu.lab");
    EXPECT_EQ((*machines)[0].program, "kurve");
    EXPECT_EQ((*machines)[0].folder, defaultFolder(folder_.path()));
    EXPECT_EQ((*machines)[1].program, "/opt/kurve");
    EXPECT_EQ((*machines)[1].folder, "~/x y");
    EXPECT_EQ(findMachine(folder_.path(), "other")->host, "o");
    for (const char* line : {"host = \"me@[fe80::1]\"", "host = \"gpu-1.lab_x:22\"",
                             "host = \"h\"\nfolder = \"~/.local/share/kurve/projects/second\""}) {
        write(std::string("[gpu]\n") + line + "\n");
        EXPECT_TRUE(readMachines(folder_.path())) << line;
    }
}

TEST_F(MachinesTest, NamesFileLineAndField) {
    const Error key = errorOf("[gpu]\nhost = \"h\"\nport = 22\n");
    EXPECT_EQ(key.code, "machines.unknown_key");
    EXPECT_EQ(key.line, 3);
    EXPECT_EQ(key.field, "gpu.port");
    EXPECT_THAT(key.file, HasSubstr("machines.toml"));
    EXPECT_EQ(errorOf("[gpu\n").code, "machines.syntax");
    EXPECT_EQ(errorOf("[gpu]\n").field, "gpu.host");
    EXPECT_EQ(errorOf("gpu = 1\n").code, "machines.bad_value");
    write("[gpu]\nhost = \"h\"\n");
    const Error unknown = findMachine(folder_.path(), "gpv").error();
    EXPECT_EQ(unknown.code, "machines.unknown");
    EXPECT_THAT(unknown.remedy, HasSubstr("gpu"));
}

/// The file may come with somebody else's project: nothing in it may become an option or another command.
TEST_F(MachinesTest, RunsNothingButKurve) {
    for (const char* line :
         {"host = \"-oProxyCommand=touch\"", "host = \"a b\"", "host = \"\"", "host = \"h\\u0000\"",
          "host = \"h\"\nprogram = \"a' ; touch x '\"", "host = \"h\"\nprogram = \"-x\"",
          "host = \"h\"\nprogram = \"a\\nb\"", "host = \"h\"\nfolder = \"x\"", "host = \"h\"\nfolder = 3",
          "host = \"h\"\nssh = [\"sh\"]", "host = \"h;x\"", "host = \"$(x)\"", "host = \"a%h\"",
          "host = \"h\"\nprogram = \"~/kurve\"", "host = \"h\"\nfolder = \"~/.ssh\"",
          "host = \"h\"\nfolder = \"/home/me/.config/autostart\"", "host = \"h\"\nfolder = \"~/a/../.ssh\"",
          "host = \"h\"\nfolder = \"~/.local/share/kurve/projects/../x\""})
        EXPECT_THAT(errorOf(std::string("[gpu]\n") + line + "\n").code,
                    ::testing::AnyOf("machines.bad_value", "machines.unknown_key"))
            << line;
    EXPECT_EQ(errorOf("[\"../x\"]\nhost = \"h\"\n").code, "machines.bad_value");
}

}  // namespace
}  // namespace kurve::remote
