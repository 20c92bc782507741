// A project with a few runs, and its index as a program opens it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {

class IndexFixture : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "runs");
        std::ofstream(folder_ / "project.toml") << "name = \"index\"\n";
    }
    [[nodiscard]] Project project() const { return *Project::open(folder_.path()); }
    void write(const std::string& id, const std::string& state = "completed") const {
        const auto writer = RunWriter::open(project().runFolder(id));
        ASSERT_TRUE(writer) << writer.error().text();
        (*writer)->set("state", state);
        ASSERT_TRUE((*writer)->flush());
    }
    [[nodiscard]] std::unique_ptr<ProjectIndex> open() const {
        auto index = ProjectIndex::open(project());
        EXPECT_TRUE(index) << index.error().text();
        EXPECT_TRUE((*index)->refresh());
        return std::move(*index);
    }
    static RunSummary runOf(const ProjectIndex& index, const std::string& id) {
        const auto runs = index.runs();
        for (const auto& run : *runs)
            if (run.id == id) return run;
        ADD_FAILURE() << "no run " << id;
        return {};
    }
    kurve::testing::TemporaryFolder folder_;
};

}  // namespace kurve::store
