#pragma once

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/theme/theme.h"
#include "views/frontier/frontier_panel.h"

namespace kurve::views {

inline frontier::SweepPoint pointOf(const std::string& run, int steps, double entropy, double bleu) {
    frontier::SweepPoint made;
    made.run = run;
    made.checkpoint = "step-00000100";
    made.checkpointSha256 = run;
    made.settings = {{"sampler.steps", std::to_string(steps)}};
    made.step = 100;
    made.split = "valid";
    made.seeds = {7, 8};
    made.sentences = 2;
    made.quality["bleu"] = {bleu, bleu - 1, bleu + 1, 2, "", {}};
    made.diversity["entropy"] = {entropy, entropy, entropy, 2, "", {}};
    made.texts = {{"in", "ref", {"out one", "out two"}}};
    made.cost = {10, 1, 4};
    return made;
}

class FrontierPanelTest : public ::testing::Test {
protected:
    FrontierPanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        std::ofstream(home_.path() / "project.toml") << "name = \"p\"\n";
        for (const auto& [run, shift] : {std::pair{"a", 0.0}, {"b", 10.0}})
            for (const auto& p : {pointOf(run, 2, 5, 20 + shift), pointOf(run, 8, 3, 30 + shift)})
                EXPECT_TRUE(frontier::savePoint(
                    frontier::pointFile(home_.path() / "runs" / run, p.settings.at("sampler.steps")), p));
    }
    RunPoints read(const char* run) const {
        return {run, run, frontier::loadPoints(home_.path() / "runs" / run).points, {}};
    }

    QApplication& app_ = test::guiApp();
    testing::TemporaryFolder home_;
};

}  // namespace kurve::views
