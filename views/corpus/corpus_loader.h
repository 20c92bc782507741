#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/store/project.h"
#include "core/text/corpus.h"
#include "core/text/statistics.h"

namespace kurve::views {

/// A split as it is browsed: its pairs with their lengths in words.
struct BrowsedCorpus {
    text::Corpus corpus;
    std::vector<int> sourceWords, targetWords;
    text::LengthSummary source, target;
    std::int64_t duplicates = 0;
    QString problem;  ///< why the file cannot be read; everything else is empty then
};

struct VocabularyEntry {
    int id = 0;
    QString piece;
    qint64 count = 0;
};
struct BrowsedVocabulary {
    std::vector<VocabularyEntry> entries;
    QString problem;
};

/// The TSV files under data/, the tokenizers and caches left out; relative to the project, training splits
/// first.
[[nodiscard]] std::vector<std::filesystem::path> corpusFiles(const std::filesystem::path& project);
/// The training file of the project's default experiment, relative to the project; empty if there is none.
[[nodiscard]] std::filesystem::path defaultCorpus(const store::Project& project);
struct TokenizerFolder {
    std::filesystem::path folder;
    QString title;  ///< "bpe, 2 000 pieces (3f2a…)"
};
[[nodiscard]] std::vector<TokenizerFolder> tokenizerFolders(const std::filesystem::path& project);

[[nodiscard]] BrowsedCorpus browseCorpus(const std::filesystem::path& file);
[[nodiscard]] BrowsedVocabulary browseVocabulary(const std::filesystem::path& folder);

/// Reads on a worker thread; the signals arrive on the GUI thread. A newer request of a kind lets an older
/// one lapse.
class CorpusLoader : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void loadCorpus(const std::filesystem::path& file);
    void loadVocabulary(const std::filesystem::path& folder);

Q_SIGNALS:
    void corpusLoaded(std::shared_ptr<const kurve::views::BrowsedCorpus> corpus);
    void vocabularyLoaded(std::shared_ptr<const kurve::views::BrowsedVocabulary> vocabulary);

private:
    int corpusRequest_ = 0, vocabularyRequest_ = 0;
};

}  // namespace kurve::views
