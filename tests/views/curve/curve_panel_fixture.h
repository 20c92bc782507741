#pragma once

#include <gtest/gtest.h>

#include <QLabel>

#include "tests/support/fake_services.h"
#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/data/engine_info.h"
#include "views/curve/curve_panel.h"

namespace kurve::views {

class CurvePanelTest : public ::testing::Test, protected test::ShownPanel<CurvePanel> {
protected:
    CurvePanelTest() : ShownPanel(1000, 620) { services_.offerTo(context_); }
    void load(trace::Trace trace) {
        playhead_.setDenoiseSteps(trace.steps);
        playhead_.setDenoiseStep(trace.steps - 1);
        selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
        ASSERT_TRUE(test::waitFor([&] { return panel_->hasData() && !panel_->working(); }));
        app_.processEvents();  // the bar appears with the data: the picture gets its size
    }
    [[nodiscard]] bool says(const QString& text) const {
        for (const QLabel* label : panel_->findChildren<QLabel*>())
            if (label->text().contains(text)) return true;
        return false;
    }
    /// One family with latents, one without.
    void describeFamilies() {
        Schema points{"points", "Points", "", {integerField("model.latent", 64, "width")}, {}};
        Schema words{"words", "Masked words", "", {integerField("model.hidden", 64, "width")}, {}};
        auto info = EngineInfo::fromJson(
            {{"families", {toJson(points), toJson(words)}}, {"metrics", nlohmann::json::array()}});
        ASSERT_TRUE(info) << info.error().text();
        engine_ = std::move(*info);
        panel_->engineInfoChanged();
    }
    test::FakeServices services_;
    QImage picture() { return panel_->canvas()->renderNow().copy(); }
};

}  // namespace kurve::views
