#pragma once

#include <QFrame>
#include <optional>
#include <vector>

#include "core/config/field_spec.h"
#include "views/common/choice_list.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace kurve::views {

/// One setting that differs: name, editor of its type, a button that drops it (also Ctrl+Backspace in the
/// editor), and its error below.
class SettingChip : public QFrame {
    Q_OBJECT
public:
    /// `name`: of the form, for object names ("prompt.set.sampler.top_k"). Without `maybeField` it is a text
    /// that nobody checks. With `offered` its values are ids that are chosen by their titles.
    SettingChip(const QString& name, const QString& key, const std::optional<FieldSpec>& maybeField,
                const std::vector<Choice>& offered, QWidget* parent = nullptr);
    [[nodiscard]] const QString& key() const { return key_; }
    [[nodiscard]] QString value() const;
    void setValue(const QString& text);  ///< emits edited() if it differs
    /// What is wrong with the value itself; empty: nothing.
    [[nodiscard]] QString fault() const;
    void setError(const QString& text);  ///< shown below; empty = none
    void focusEditor();

Q_SIGNALS:
    void edited();
    void dropped();

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
