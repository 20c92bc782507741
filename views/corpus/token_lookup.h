#pragma once

#include <QString>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/trace/vocabulary.h"

namespace kurve::views {

/// A tokenized text.
struct TokenizedText {
    struct Token {
        int id = 0;
        QString text;
        bool unknown = false;
    };
    std::vector<Token> tokens;
    [[nodiscard]] int unknown() const;
};
[[nodiscard]] TokenizedText tokenized(const text::Tokenizer& tokenizer, const QString& text);

/// The newest checkpoint of a run that holds weights, and the tokenizer that it was trained with.
struct RunEmbeddings {
    std::filesystem::path checkpoint;  ///< its folder; empty if the run has none
    QString tokenizer;                 ///< SHA-256; empty if the checkpoint does not say
};
/// Reads a small file: for a worker.
[[nodiscard]] RunEmbeddings tableOfRun(const std::filesystem::path& runFolder);
/// The checkpoint's embedding table with the tokens. For a worker. Errors as
/// Vocabulary::ofCheckpoint.
[[nodiscard]] Result<std::shared_ptr<const trace::Vocabulary>> embeddingsOf(
    const RunEmbeddings& run, const std::filesystem::path& tokenizerFolder);

struct TokenNeighbour {
    int id = 0;
    QString token;
    double distance = 0, cosine = 0;
};
/// The tokens whose embeddings lie nearest to that of `id`, without itself, nearest first; empty if the
/// table has no such row.
[[nodiscard]] std::vector<TokenNeighbour> neighboursOf(const trace::Vocabulary& table, int id, int count);

}  // namespace kurve::views
