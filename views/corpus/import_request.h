#pragma once

#include <QMap>
#include <QString>
#include <QStringList>

namespace kurve::views {

/// An import of a corpus and its check.
struct ImportRequest {
    struct Split {
        QString source, target;  ///< target empty: source has both sides
        int holdOut = 0;         ///< pairs to hold out from train; only where source is empty
    };
    QString name;
    QString kind = QStringLiteral("pairs");  ///< data.kind: pairs, text, documents
    bool sentences = false;                  ///< of documents: every line is one already
    Split train, valid, test;
    bool sameLanguage = false, replace = false;
    QString tokenizer = QStringLiteral("bpe");
    int vocabulary = 2000, maxLength = 64;

    /// The engine's arguments, without --json and --project.
    [[nodiscard]] QStringList importWords() const;
    [[nodiscard]] QStringList checkWords() const;
    /// data.tokenizer.kind, data.tokenizer.vocabulary and data.max_length.
    [[nodiscard]] QMap<QString, QString> tokenizerSettings() const;
    /// The file of a split, empty where it is held out; also what errors name.
    [[nodiscard]] QStringList files() const;
};

/// Assigns files to splits by their names: "valid", "dev" or "test" in it, else training; of two files of a
/// split that are neither TSVs nor JSON lines the first is the source, and of one alone the lines are texts.
/// Reads nothing but the sizes.
[[nodiscard]] ImportRequest requestFor(const QStringList& files);

/// A TSV, or JSON lines with "src" and "trg", by the name.
[[nodiscard]] bool hasBothSides(const QString& file);

/// True for TSVs of text, JSON lines with "src" and "trg", and for two or more plain text files; false where
/// one is a log of numbers, binary, or of a kind that the studio imports otherwise. Reads the first 4 KiB of
/// each.
[[nodiscard]] bool isPairText(const QStringList& files);

}  // namespace kurve::views
