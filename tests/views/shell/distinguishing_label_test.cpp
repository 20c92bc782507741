// An elided name stays distinguishable from the names beside it.
#include <gtest/gtest.h>

#include <random>

#include "views/common/text/distinguishing_label.h"

namespace kurve::views {
namespace {

TEST(DistinguishingLabel, WhatFitsStaysWhole) {
    EXPECT_EQ(distinguishingLabel("restore-sclm", {"restore-sclm", "restore-cmlm"}, 12), "restore-sclm");
}

TEST(DistinguishingLabel, LeavesOutWhatTheOthersShareToo) {
    const QStringList names{"restore-sclm-400-updates", "restore-sclm-800-updates",
                            "restore-cmlm-400-updates"};
    EXPECT_EQ(distinguishingLabel(names[0], names, 20), "restore-sclm-400-…");
    EXPECT_EQ(distinguishingLabel(names[0], names, 11), "…sclm-400-…");
    // Alone, its beginning says enough.
    EXPECT_EQ(distinguishingLabel(names[0], {names[0]}, 20), "restore-…400-updates");
}

TEST(DistinguishingLabel, ADifferenceInsideAWordIsKeptWhereWordsDoNotFit) {
    const QStringList names{"interpolationalpha", "interpolationbeta"};
    const QString first = distinguishingLabel(names[0], names, 8),
                  second = distinguishingLabel(names[1], names, 8);
    EXPECT_NE(first, second);
    EXPECT_LE(first.size(), 8);
}

/// Whether a name could be what a text with gaps was made from, by dynamic programming.
bool couldBe(const QString& text, const QString& name) {
    std::vector<std::vector<char>> ok(static_cast<std::size_t>(text.size() + 1),
                                      std::vector<char>(static_cast<std::size_t>(name.size() + 1), 0));
    ok[0][0] = 1;
    for (int i = 1; i <= text.size(); ++i)
        for (int j = 1; j <= name.size(); ++j) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
            const QChar c = text[i - 1];
            ok[a][b] =
                c == QChar(0x2026) ? ok[a - 1][b - 1] || ok[a][b - 1] : ok[a - 1][b - 1] && c == name[j - 1];
        }
    return ok.back().back() != 0;
}

TEST(DistinguishingLabel, IsAFormOfTheNameAndOfNoOtherWhereThereIsOne) {
    std::mt19937 random(7);
    const QStringList words{"restore", "modernise", "sclm", "cmlm", "long", "short", "1", "22", "seed"};
    int unique = 0, labels = 0;
    for (int round = 0; round < 200; ++round) {
        QStringList names;
        for (int i = 0; i < 6; ++i) {
            QStringList parts;
            for (int k = 0; k < 4; ++k) parts << words[static_cast<int>(random() % 9)];
            if (const QString name = parts.join('-'); !names.contains(name)) names << name;
        }
        for (const QString& name : names) {
            const QString shown = distinguishingLabel(name, names, 14);
            EXPECT_LE(shown.size(), 14);
            EXPECT_TRUE(couldBe(shown, name)) << name.toStdString() << " as " << shown.toStdString();
            const auto fits = std::count_if(names.begin(), names.end(),
                                            [&](const QString& other) { return couldBe(shown, other); });
            ++labels;
            unique += fits == 1;
        }
    }
    EXPECT_GT(unique, labels * 95 / 100);
}

}  // namespace
}  // namespace kurve::views
