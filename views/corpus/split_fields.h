#pragma once

#include <QWidget>

#include "views/corpus/import_wish.h"

class QLabel;
class QLineEdit;
class QSpinBox;

namespace kurve::views {

/// The files of one split: a TSV, or source and target lines; validation and test may be cut off instead.
class SplitFields : public QWidget {
    Q_OBJECT
public:
    /// `id` is "train", "valid" or "test": the object names are "import.train.source" and so on.
    SplitFields(const QString& id, const QString& title, QWidget* parent = nullptr);
    [[nodiscard]] ImportWish::Split split() const;
    void setSplit(const ImportWish::Split& split);  ///< emits nothing
    void setError(const QString& text);             ///< empty hides it

Q_SIGNALS:
    void edited();

private:
    QWidget* fileRow(QLineEdit* field, const QString& id, const QString& name);
    void arrange();

    bool cuttable_;
    QLineEdit *source_, *target_;
    QWidget *targetRow_, *cutRow_;
    QSpinBox* cut_;
    QLabel* error_;
};

}  // namespace kurve::views
