#pragma once

#include <gtest/gtest.h>

#include <QString>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {

/// An engine that says what a shell script says; what it was called with stands in the file `words`, a line a
/// call.
class ScriptEngineTest : public ::testing::Test {
protected:
    void SetUp() override { test::guiApp(); }
    [[nodiscard]] QString engine(const std::string& script) const {
        const auto file = folder_ / "kurve";
        std::ofstream(file) << "#!/bin/sh\necho \"$@\" >> " << (folder_ / "words").string() << "\n" << script;
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return QString::fromStdString(file.string());
    }
    testing::TemporaryFolder folder_;
};

}  // namespace kurve::studio
