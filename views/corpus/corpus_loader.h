#pragma once

#include <QMap>
#include <QString>
#include <filesystem>
#include <vector>

#include "core/store/project.h"
#include "core/text/corpus.h"
#include "core/text/statistics.h"
#include "core/text/tokenizer.h"

namespace kurve::views {

/// A split as it is browsed: its pairs with their lengths in words. Texts (a file "*.txt") have no source;
/// documents are texts that NAME.corpus.json calls so.
struct BrowsedCorpus {
    text::Corpus corpus;
    bool texts = false, documents = false;
    std::vector<int> sourceWords, targetWords;
    text::LengthSummary source, target;
    std::int64_t duplicates = 0;
    QString problem;  ///< why the file cannot be read; everything else is empty then
};

struct VocabularyEntry {
    int id = 0;
    QString token;
    qint64 count = 0;
};
struct BrowsedVocabulary {
    std::vector<VocabularyEntry> entries;
    text::SpecialIds special;
    QString problem;
};

/// The tables and the splits of texts (NAME.train.txt) under data/, the tokenizers and caches left out;
/// relative to the project, training splits first.
[[nodiscard]] std::vector<std::filesystem::path> corpusFiles(const std::filesystem::path& project);
/// The training file of the project's default experiment, relative to the project; empty if there is none.
[[nodiscard]] std::filesystem::path defaultCorpus(const store::Project& project);
/// What a draft needs to train on the corpus that `file` (data/NAME.train.tsv, …) is a split of; empty where
/// its training or validation split is missing. data.same_language is taken from its record.
[[nodiscard]] QMap<QString, QString> corpusSettings(const std::filesystem::path& project,
                                                    const std::filesystem::path& file);
struct TokenizerFolder {
    std::filesystem::path folder;
    QString title;  ///< "bpe, 2 000 tokens (3f2a…)"
};
[[nodiscard]] std::vector<TokenizerFolder> tokenizerFolders(const std::filesystem::path& project);

/// Both read whole files: for worker threads.
[[nodiscard]] BrowsedCorpus browseCorpus(const std::filesystem::path& file);
[[nodiscard]] BrowsedVocabulary browseVocabulary(const std::filesystem::path& folder);

}  // namespace kurve::views
