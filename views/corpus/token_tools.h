#pragma once

#include <QString>
#include <QWidget>
#include <filesystem>
#include <memory>

#include "views/common/data/background.h"
#include "views/common/data/latest.h"
#include "views/corpus/token_lookup.h"

class QLabel;
class QLineEdit;
class QTableWidget;

namespace kurve::views {

/// Next to a tokenizer's vocabulary: any text tokenized while it is typed, and the nearest neighbours of a
/// token in a run's embedding table. Files are read and tables searched on workers. GUI thread.
class TokenTools : public QWidget {
    Q_OBJECT
public:
    explicit TokenTools(QWidget* parent = nullptr);

    void setTokenizer(const std::filesystem::path& folder);
    /// The run whose embedding table is searched; an empty name = none.
    void setRun(const QString& run, const std::filesystem::path& folder);
    /// The text of the box until the user types.
    void suggest(const QString& text);
    void showNeighbours(int id, const QString& token);

Q_SIGNALS:
    /// The SHA-256 of the tokenizer that the run was trained with.
    void runTokenizerFound(const QString& hash);

private:
    struct TextRequest {
        std::shared_ptr<const text::Tokenizer> tokenizer;
        QString text;
    };
    void retokenize();
    void showTokens(const TokenizedText& text);
    void loadTable();
    void search();
    void showRows(const std::vector<TokenNeighbour>& rows);

    QLineEdit* text_;
    QLabel *tokens_, *nearTitle_;
    QTableWidget* near_;
    std::filesystem::path folder_;
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    QString run_, token_;
    RunEmbeddings table_;
    std::shared_ptr<const trace::Vocabulary> embeddings_;
    int id_ = -1;  ///< whose neighbours are shown
    Background tokenizers_, runs_, tables_, searches_;
    Latest<TextRequest, TokenizedText> tokenizations_;
};

}  // namespace kurve::views
