#pragma once

#include <QFrame>
#include <optional>
#include <vector>

#include "core/config/field_spec.h"
#include "views/common/form/choice_list.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace kurve::views {

/// An override of a setting: name, typed editor, a button that removes it (also Ctrl+Backspace in the
/// editor), and its error below.
class SettingChip : public QFrame {
    Q_OBJECT
public:
    /// `name`: of the form, for object names ("prompt.set.sampler.top_k"). Without `maybeField` it is an
    /// unchecked text. With `offered` its values are ids chosen by their titles.
    SettingChip(const QString& name, const QString& key, const std::optional<FieldSpec>& maybeField,
                const std::vector<Choice>& offered, QWidget* parent = nullptr);
    [[nodiscard]] const QString& key() const { return key_; }
    [[nodiscard]] QString value() const;
    void setValue(const QString& text);  ///< emits edited() if it differs
    /// The error of the value itself; empty: none.
    [[nodiscard]] QString error() const;
    void setError(const QString& text);  ///< shown below; empty = none
    void focusEditor();

Q_SIGNALS:
    void edited();
    void removed();

private:
    QWidget* makeEditor(const std::vector<Choice>& offered);
    [[nodiscard]] QWidget* editor() const;

    QString key_;
    std::optional<FieldSpec> field_;
    QCheckBox* check_ = nullptr;
    QComboBox* combo_ = nullptr;
    QLineEdit* line_ = nullptr;
    QLabel* error_;
};

}  // namespace kurve::views
