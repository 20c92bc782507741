#pragma once

#include <QString>
#include <QWidget>
#include <filesystem>
#include <memory>

#include "views/common/background.h"
#include "views/common/latest.h"
#include "views/corpus/token_lookup.h"

class QLabel;
class QLineEdit;
class QTableWidget;

namespace kurve::views {

/// Beside the list of a tokenizer's pieces: any text cut into them while it is typed, and the nearest
/// neighbours of a piece in a run's embedding table. Files are read and tables searched on workers. GUI
/// thread.
class TokenTools : public QWidget {
    Q_OBJECT
public:
    explicit TokenTools(QWidget* parent = nullptr);

    void setTokenizer(const std::filesystem::path& folder);
    /// Whose embedding table is searched; an empty name = none is chosen.
    void setRun(const QString& run, const std::filesystem::path& folder);
    /// Stands in the box as long as the user has typed nothing.
    void suggest(const QString& text);
    void showNeighbours(int id, const QString& piece);

Q_SIGNALS:
    /// The SHA-256 of the tokenizer that the run was trained with.
    void runTokenizerFound(const QString& hash);

private:
    struct TextWish {
        std::shared_ptr<const text::Tokenizer> tokenizer;
        QString text;
    };
    void retokenize();
    void showPieces(const TokenizedText& text);
    void loadTable();
    void search();
    void showRows(const std::vector<TokenNeighbour>& rows);

    QLineEdit* text_;
    QLabel *pieces_, *nearTitle_;
    QTableWidget* near_;
    std::filesystem::path folder_;
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    QString run_, piece_;
    RunEmbeddings table_;
    std::shared_ptr<const trace::Vocabulary> embeddings_;
    int id_ = -1;  ///< whose neighbours are wanted
    Background tokenizers_, runs_, tables_, searches_;
    Latest<TextWish, TokenizedText> cuts_;
};

}  // namespace kurve::views
