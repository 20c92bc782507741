#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {

/// A small project in a folder of its own, with the engine run in it.
class TrainingTest : public ::testing::Test {
protected:
    void SetUp() override { makeSmallProject(project_.path()); }
    [[nodiscard]] EngineResult run(const std::vector<std::string>& arguments) const {
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] std::filesystem::path runFolder(const std::string& id) const {
        return project_ / "runs/" / id;
    }
    /// What a file among the checkpoints of a run holds; "missing …" if there is none.
    [[nodiscard]] std::string bytes(const std::string& id, const std::string& file) const {
        const auto text = readFile(runFolder(id) / "checkpoints" / file);
        return text ? *text : "missing " + file;
    }
    TemporaryFolder project_;
};

inline bool hasState(const nlohmann::json& event, const std::string& state) {
    return event.value("type", "") == "state" && event.value("state", "") == state;
}

}  // namespace kurve::testing
