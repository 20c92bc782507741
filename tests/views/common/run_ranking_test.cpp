#include "views/common/data/run_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve::views {
namespace {

TEST(QualityFirst, ScoresThenLossesAndOfTheScoresBleuAndChrf) {
    EXPECT_THAT(qualityFirst({"lr", "loss", "valid_loss", "valid_accuracy", "valid_chrf", "valid_bleu",
                              "eval_test_self_bleu", "eval_test_chrf", "eval_test_anisotropy",
                              "eval_test_bleu", "copy_bleu"}),
                ::testing::ElementsAre("eval_test_bleu", "eval_test_chrf", "eval_test_anisotropy",
                                       "eval_test_self_bleu", "valid_bleu", "valid_chrf", "valid_accuracy",
                                       "valid_loss", "loss", "copy_bleu", "lr"));
}

}  // namespace
}  // namespace kurve::views
