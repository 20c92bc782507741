#pragma once

#include <QWidget>

#include "core/config/field_spec.h"
#include "views/common/form/choice_list.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace kurve::views {

/// One setting of the form: label, typed editor, unit, revert button, and its error below. In a narrow form
/// the label stands above.
class FieldRow : public QWidget {
    Q_OBJECT
public:
    explicit FieldRow(const FieldSpec& field, QWidget* parent = nullptr);
    [[nodiscard]] const QString& key() const { return key_; }
    /// Shows a value without emitting edited().
    void show(const QString& text, bool changedFromDefault, bool revertible);
    /// The runs that a field of type Run offers; others can be typed.
    void offer(const std::vector<Choice>& runs);
    void setError(const QString& text);  ///< empty = none
    /// Running mode: everything locked, `live` fields with a lock that can be opened.
    void setRunning(bool running);
    void focusEditor();
    [[nodiscard]] bool matches(const QString& words) const;

Q_SIGNALS:
    void edited(const QString& key, const QString& text);
    void reverted(const QString& key);
    void liveSet(const QString& key, const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] QWidget* editor() const;
    void buildRow(const FieldSpec& field);
    void buildEditor(const FieldSpec& field);
    void emitEdit(const QString& text);
    [[nodiscard]] QString currentText() const;

    QString key_, searchText_, shown_;  ///< shown_: during a run the editor may differ from it
    bool live_, running_ = false, filling_ = false;
    QLabel* label_;
    QLabel* error_;
    QCheckBox* check_ = nullptr;
    QComboBox* combo_ = nullptr;
    QLineEdit* line_ = nullptr;
    QToolButton* revert_;
    QToolButton* lock_;
};

}  // namespace kurve::views
