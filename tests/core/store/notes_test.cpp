#include "core/store/notes.h"

#include <gtest/gtest.h>

namespace kurve::store {
namespace {

TEST(MergeNotes, WhatOnlyOneChangedIsTaken) {
    EXPECT_EQ(mergeNotes("a", "b", "a"), "b");
    EXPECT_EQ(mergeNotes("a", "a", "b"), "b");
    EXPECT_EQ(mergeNotes("a", "b", "b"), "b");
    EXPECT_EQ(mergeNotes("a", "", "a"), "");
    EXPECT_EQ(mergeNotes("", "", ""), "");
}

TEST(MergeNotes, LinesAtDifferentPositionsMeet) {
    EXPECT_EQ(mergeNotes("1\n2\n3", "0\n1\n2\n3", "1\n2\n3\n4"), "0\n1\n2\n3\n4");
    EXPECT_EQ(mergeNotes("1\n2\n3", "1\n2\n3!", "1!\n2\n3"), "1!\n2\n3!");
    EXPECT_EQ(mergeNotes("1\n2\n3", "1\n3", "1\n2\n3\n"), "1\n3\n");
    EXPECT_EQ(mergeNotes("mine", "", "theirs\nmine"), "theirs") << "an undo";
    EXPECT_EQ(mergeNotes("mine", "", "mine\ntheirs"), "theirs");
    EXPECT_EQ(mergeNotes("1\n2", "1\n2\nmine", "1\nother"), "1\nother\nmine");
}

TEST(MergeNotes, OfOneLineBothAreKept) {
    EXPECT_EQ(mergeNotes("", "mine", "theirs"), "mine\ntheirs");
    EXPECT_EQ(mergeNotes("head\nx\ntail", "head\nmine\ntail", "head\ntheirs\ntail"),
              "head\nmine\ntheirs\ntail");
    EXPECT_EQ(mergeNotes("1\n2", "1\n2\nmine", "1\n2\ntheirs"), "1\n2\nmine\ntheirs");
    EXPECT_EQ(mergeNotes("1\n2\n3", "A\nB\n3", "1\nX\nY"), "A\nB\n3\n1\nX\nY");
    EXPECT_EQ(mergeNotes("gone", "", "gone, or not"), "gone, or not") << "what one takes away is no text";
}

}  // namespace
}  // namespace kurve::store
