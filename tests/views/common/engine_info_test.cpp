#include "views/common/data/engine_info.h"

#include <gtest/gtest.h>

namespace kurve::views {
namespace {

TEST(EngineInfo, DescribesSavedScoresWhateverTheirSettings) {
    const EngineInfo info = *EngineInfo::fromJson(
        {{"families", nlohmann::json::array()},
         {"metrics",
          {{{"id", "brierlm"}, {"title", "BrierLM"}, {"better", "higher"}, {"doc", "of draws"}}}}});
    for (const auto& [id, title] :
         {std::pair{"eval_test_brierlm", "BrierLM (test)"},
          {"eval_test_brierlm@every=4", "BrierLM (test, every=4)"},
          {"eval_valid_brierlm@every=4,tau=0.5", "BrierLM (valid, every=4,tau=0.5)"}}) {
        const auto text = info.metric(id);
        EXPECT_EQ(text.title.toStdString(), title);
        EXPECT_EQ(text.doc.toStdString(), "of draws");
        EXPECT_TRUE(text.higherIsBetter && text.ranked) << id;
    }
    EXPECT_EQ(info.metric("eval_test_new_one@seed=7").title.toStdString(), "new one (test, seed=7)");
}

}  // namespace
}  // namespace kurve::views
