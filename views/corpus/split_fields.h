#pragma once

#include <QWidget>

#include "views/corpus/import_request.h"

class QLabel;
class QLineEdit;
class QSpinBox;

namespace kurve::views {

/// The files of one split: a TSV, or source and target lines; validation and test may be held out from train
/// instead.
class SplitFields : public QWidget {
    Q_OBJECT
public:
    /// `id` is "train", "valid" or "test": the object names are "import.train.source" and so on.
    SplitFields(const QString& id, const QString& title, QWidget* parent = nullptr);
    [[nodiscard]] ImportRequest::Split split() const;
    void setSplit(const ImportRequest::Split& split);  ///< emits nothing
    void setPairs(bool pairs);                         ///< else there is no second file
    void setError(const QString& text);                ///< empty hides it

Q_SIGNALS:
    void edited();

private:
    QWidget* fileRow(QLineEdit* field, const QString& id, const QString& name);
    void arrange();

    bool canHoldOut_, pairs_ = true;
    QLineEdit *source_, *target_;
    QWidget *targetRow_, *holdOutRow_;
    QSpinBox* holdOut_;
    QLabel* error_;
};

}  // namespace kurve::views
