#pragma once

#include <QMap>
#include <memory>

#include "views/common/data/background.h"
#include "views/common/shell/panel.h"
#include "views/corpus/corpus_loader.h"
#include "views/corpus/text_import.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace kurve::views {

class ColumnModel;
class EmptyState;
class ImportForm;
class LengthChart;
class TokenTools;

/// The text a project trains on: the pairs of each split, their lengths, and the vocabularies of its
/// tokenizers.
class CorpusPanel : public Panel, public TextImport {
    Q_OBJECT
public:
    explicit CorpusPanel(const StudioContext& context, QWidget* parent = nullptr);

    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    /// Rescans files and tokenizers.
    void refresh();
    void openImport(const QStringList& files) override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildPairs();
    QWidget* buildSide();
    void showCorpus(std::shared_ptr<const BrowsedCorpus> corpus);
    void showWhole(const QModelIndex& row);
    void connectImport();
    /// The corpus is in the project: leaves the form and shows it.
    void showImported(const QString& name);
    void chooseCorpus();
    void chooseTokenizer();
    void chooseTokenizerOf(const QString& hash);
    void followRun();
    void suggestText();
    void fillFiles();
    void fillTokenizers();
    void showPage();
    void useInDraft();
    void addTry();

    Background corpusWork_, vocabularyWork_;
    std::shared_ptr<const BrowsedCorpus> corpus_;
    QStackedLayout* stack_;
    EmptyState* empty_;
    ImportForm* form_;
    bool isImporting_ = false;  ///< the form is shown
    std::function<void()> endCheck_ = [] {};
    QMap<QString, QString> importedTokenizer_;  ///< tokenizer settings of the last import
    QString imported_;                          ///< its training file
    QPushButton* use_ = nullptr;
    QComboBox *files_ = nullptr, *tokenizers_ = nullptr;
    QLineEdit *search_ = nullptr, *tokenSearch_ = nullptr;
    QLabel *summary_ = nullptr, *problem_ = nullptr, *noTokenizer_ = nullptr, *whole_ = nullptr;
    QTableView *pairs_ = nullptr, *vocabulary_ = nullptr;
    ColumnModel *pairModel_, *vocabularyModel_;
    QSortFilterProxyModel *pairFilter_, *vocabularyFilter_;
    LengthChart* lengths_ = nullptr;
    TokenTools* tools_ = nullptr;
};

}  // namespace kurve::views
