#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/store/project.h"
#include "core/store/run_writer.h"

namespace kurve::store {

inline Project projectIn(const std::filesystem::path& folder, const std::string& toml = "name = \"demo\"\n") {
    std::filesystem::create_directories(folder / "runs");
    std::ofstream(folder / "project.toml") << toml;
    auto project = Project::open(folder);
    EXPECT_TRUE(project) << project.error().text();
    return *project;
}

using Values = std::map<std::string, std::string>;
inline void makeRun(const Project& project, const std::string& id, const Values& values, double bleu = 20) {
    auto writer = RunWriter::open(project.runFolder(id));
    ASSERT_TRUE(writer) << writer.error().text();
    for (const auto& [key, value] : values) (*writer)->set(key, value);
    for (int i = 1; i <= 3; ++i) (*writer)->scalar("valid/bleu", i * 10, wallSeconds(), bleu + i);
    ASSERT_TRUE((*writer)->flush());
}

inline std::unique_ptr<ProjectIndex> indexOf(const Project& project) {
    auto index = ProjectIndex::open(project);
    EXPECT_TRUE(index) << index.error().text();
    EXPECT_TRUE((*index)->refresh());
    return std::move(*index);
}
inline RunSummary runOf(ProjectIndex& index, const std::string& id) {
    const auto runs = index.runs();
    for (const auto& run : *runs)
        if (run.id == id) return run;
    ADD_FAILURE() << "no run " << id;
    return {};
}

}  // namespace kurve::store
