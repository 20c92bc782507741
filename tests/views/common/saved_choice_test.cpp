// What a session keeps of a choice stays the same choice when others are added or moved.
#include "views/common/form/saved_choice.h"

#include <gtest/gtest.h>

namespace kurve::views {
namespace {

constexpr ChoiceIds<3> kThen{"cosine", "dot", "rank"};
constexpr ChoiceIds<4> kNow{"dot", "centred", "rank", "cosine"};

TEST(SavedChoice, FollowsItsChoiceAndNotItsPlace) {
    for (int i = 0; i < 3; ++i) {
        const QString saved = savedChoice(kThen, i);
        EXPECT_EQ(choiceOf(kThen, saved), i);
        EXPECT_STREQ(kNow[static_cast<std::size_t>(choiceOf(kNow, saved))], saved.toUtf8().constData());
    }
}

TEST(SavedChoice, WhatIsNoChoiceIsTheFallback) {
    for (const QJsonValue& saved : {QJsonValue(), QJsonValue(2), QJsonValue("gone"), QJsonValue("")})
        EXPECT_EQ(choiceOf(kNow, saved, 1), 1);
    EXPECT_EQ(savedChoice(kThen, -1), QString());
    EXPECT_EQ(savedChoice(kThen, 3), QString());
}

}  // namespace
}  // namespace kurve::views
