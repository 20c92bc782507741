// What a run keeps of its project's state in git is held against git itself: commit and diff give the state
// back.
#include "core/store/project_revision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/child_output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProjectRevisionTest : public ::testing::Test {
protected:
    std::string git(const fs::path& folder, std::vector<std::string> question) {
        std::vector<std::string> command{"git",         "-C", folder.string(),           "-c",
                                         "user.name=t", "-c", "user.email=t@example.org"};
        command.insert(command.end(), question.begin(), question.end());
        const auto answer = childOutput(command, 1 << 22, 60);
        EXPECT_TRUE(answer) << question.front();
        return answer ? answer->text : std::string();
    }
    void write(const std::string& file, const std::string& text) {
        fs::create_directories((project_ / file).parent_path());
        std::ofstream(project_ / file) << text;
    }
    void commitAll() {
        git(repository_, {"init", "--quiet", "--initial-branch", "main"});
        git(repository_, {"add", "--all"});
        git(repository_, {"commit", "--quiet", "--message", "first"});
    }

    testing::TemporaryFolder folder_;
    fs::path repository_ = folder_.path() / "repo", project_ = repository_ / "deep/project";
};

TEST_F(ProjectRevisionTest, GivesTheStateBack) {
    write("experiments/a.toml", "lr = 1\n");
    write("data/gone.tsv", "x\ty\n");
    write("data/raw.bin", std::string("\0\1\2", 3));
    commitAll();
    write("experiments/a.toml", "lr = 2\n");
    write("experiments/new.toml", "lr = 3\n");
    write("data/raw.bin", std::string("\0\3\2", 3));
    write("runs/r/run.db", "a result");
    fs::remove(project_ / "data/gone.tsv");

    const auto revision = projectRevision(project_);
    ASSERT_TRUE(revision);
    EXPECT_EQ(revision->commit, trim(git(repository_, {"rev-parse", "HEAD"})));
    EXPECT_EQ(revision->branch, "main");
    EXPECT_THAT(revision->changed, ElementsAre("data/gone.tsv", "data/raw.bin", "experiments/a.toml"));
    EXPECT_THAT(revision->untracked, ElementsAre("experiments/new.toml"));
    EXPECT_TRUE(revision->complete);

    const fs::path other = folder_.path() / "other", diff = folder_.path() / "d.diff";
    git(folder_.path(), {"clone", "--quiet", repository_.string(), other.string()});
    std::ofstream(diff) << revision->diff;
    git(other, {"apply", diff.string()});
    for (const char* file : {"experiments/a.toml", "data/raw.bin"})
        EXPECT_EQ(*readFile(other / "deep/project" / file), *readFile(project_ / file)) << file;
    EXPECT_FALSE(fs::exists(other / "deep/project/data/gone.tsv"));
}

TEST_F(ProjectRevisionTest, SaysThatAnUnchangedProjectIsUnchanged) {
    write("experiments/a.toml", "lr = 1\n");
    commitAll();
    write("runs/r/run.db", "a result");
    write("index.db", "an index");
    git(repository_, {"checkout", "--quiet", "--detach"});
    const auto revision = projectRevision(project_);
    ASSERT_TRUE(revision);
    EXPECT_THAT(revision->changed, IsEmpty());
    EXPECT_THAT(revision->untracked, IsEmpty());
    EXPECT_EQ(revision->diff, "");
    EXPECT_EQ(revision->branch, "");
}

TEST_F(ProjectRevisionTest, StartsNoProgramThatTheRepositoryNames) {
    write("a.tsv", "a\n");
    write(".gitattributes", "* filter=x=y\n");
    commitAll();
    const fs::path other = folder_.path() / "other", started = folder_.path() / "started";
    git(folder_.path(), {"clone", "--quiet", repository_.string(), other.string()});
    git(project_, {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.string(), "sub"});
    git(repository_, {"commit", "--quiet", "--message", "second"});
    const std::string program = "touch " + started.string() + "; cat";
    for (const fs::path& one : {repository_, project_ / "sub"}) {
        git(one, {"config", "filter.x=y.clean", program});
        git(one, {"config", "filter.x=y.required", "true"});
    }
    write("a.tsv", "b\n");
    write("sub/deep/project/a.tsv", "b\n");
    const auto revision = projectRevision(project_);
    ASSERT_TRUE(revision);
    EXPECT_FALSE(fs::exists(started));
    EXPECT_THAT(revision->changed, ElementsAre("a.tsv"));
    EXPECT_THAT(revision->diff, ::testing::HasSubstr("+b"));
}

TEST_F(ProjectRevisionTest, ReportsThatALongDiffIsTruncated) {
    write("data/a.tsv", "");
    commitAll();
    write("data/a.tsv", std::string(3 << 20, 'x'));
    const auto revision = projectRevision(project_);
    ASSERT_TRUE(revision);
    EXPECT_FALSE(revision->complete);
    EXPECT_EQ(revision->diff.size(), std::size_t{1} << 20);
    EXPECT_FALSE(toJson(*revision)["complete"]);
}

TEST_F(ProjectRevisionTest, IsNothingOutsideARepositoryAndBeforeTheFirstCommit) {
    fs::create_directories(project_);
    EXPECT_FALSE(projectRevision(project_));
    git(repository_, {"init", "--quiet"});
    EXPECT_FALSE(projectRevision(project_));
}

}  // namespace
}  // namespace kurve::store
