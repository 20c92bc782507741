#pragma once

#include <QWidget>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "views/corpus/import_request.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTimer;

namespace kurve::views {

class ImportPreview;
class SplitFields;

/// The form that brings text into a project. Each edit of files or of the tokenizer requests a new check;
/// “Import” needs a check.
class ImportForm : public QWidget {
    Q_OBJECT
public:
    /// `project`: its folder, to check for existing names.
    explicit ImportForm(std::filesystem::path project, QWidget* parent = nullptr);

    [[nodiscard]] ImportRequest request() const;
    /// Fills the form; with a training file it is checked at once.
    void setRequest(const ImportRequest& request);
    /// What `kurve data import --check --json` printed for the last checkRequested().
    void showFound(const nlohmann::json& found);
    /// Why the check or the import failed, at the field that it is about.
    void showProblem(const Error& error);
    void showImported();

Q_SIGNALS:
    void checkRequested(const kurve::views::ImportRequest& request);
    void cancelRequested();  ///< ends the check that runs
    void importRequested(const kurve::views::ImportRequest& request);
    void closeRequested();

private:
    enum class State : unsigned char { Unchecked, Checking, Checked, Importing };

    QWidget* buildControls();
    QWidget* buildTokenizer();
    QWidget* buildKind();
    void connectFields();
    void stale();
    void suggest();
    void check();
    void setState(State state, const QString& message);
    void checkName();
    void clearErrors();
    /// The label that an error belongs to, with a remedy in the form's terms.
    void showErrorAtField(const Error& error);

    std::filesystem::path project_;
    State state_ = State::Unchecked;
    SplitFields *train_, *valid_, *test_;
    QLineEdit* name_;
    QCheckBox *sameLanguage_, *replace_;
    QComboBox *kind_, *tokenizer_;
    QSpinBox *vocabulary_, *maxLength_;
    QLabel *nameError_, *tokenizerError_, *message_;
    QPushButton *check_, *import_, *close_;
    ImportPreview* preview_;
    QTimer* pause_;
    QString suggestedFor_;  ///< the training file of the suggested name and hold-outs
    bool nameFine_ = false;
};

}  // namespace kurve::views
