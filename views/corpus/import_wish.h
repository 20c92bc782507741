#pragma once

#include <QMap>
#include <QString>
#include <QStringList>

namespace kurve::views {

/// What a person wants imported as a corpus, and how it is to be checked.
struct ImportWish {
    struct Split {
        QString source, target;  ///< target empty: source is a TSV
        int cut = 0;             ///< pairs to cut off the training files; only where source is empty
    };
    QString name;
    Split train, valid, test;
    bool sameLanguage = false, replace = false;
    QString tokenizer = QStringLiteral("bpe");
    int vocabulary = 2000, maxLength = 64;

    /// The engine's words, without --json and --project.
    [[nodiscard]] QStringList importWords() const;
    [[nodiscard]] QStringList checkWords() const;
    /// data.tokenizer.kind, data.tokenizer.vocabulary and data.max_length.
    [[nodiscard]] QMap<QString, QString> tokenizerSettings() const;
    /// The file of a split, empty where it is cut; also what errors name.
    [[nodiscard]] QStringList files() const;
};

/// Which file is which, by their names: "valid", "dev" or "test" in it, else training; of two files of a
/// split that are no TSVs the first is the source. Reads nothing but the sizes.
[[nodiscard]] ImportWish wishFor(const QStringList& files);

/// True for TSVs of text, and for two or more plain text files; false where one is a log of numbers, binary,
/// or of a kind that the studio imports otherwise. Reads the first 4 KiB of each.
[[nodiscard]] bool isPairText(const QStringList& files);

}  // namespace kurve::views
