#include "views/common/form/setting_chip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/shell/view_keys.h"
#include "views/common/text/field_text.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr double kNumberWidth = 76, kTextWidth = 168, kErrorWidth = 300;
}

SettingChip::SettingChip(const QString& name, const QString& key, const std::optional<FieldSpec>& maybeField,
                         const std::vector<Choice>& offered, QWidget* parent)
    : QFrame(parent), key_(key), field_(maybeField), error_(new QLabel) {
    setProperty("role", "card");
    const QString label = fieldLabel(key.toStdString());
    auto* caption = describe(new QLabel(label), {.role = "caption"});
    QWidget* field = makeEditor(offered);
    describe(field, QStringLiteral("%1.set.%2").arg(name, key), label);
    (new ViewKeys(field, tr("Setting field")))
        ->add({{QKeySequence(Qt::CTRL | Qt::Key_Backspace)}, tr("Reset to the run's value"), [this] {
                   Q_EMIT removed();
               }});
    if (field_) {
        field->setAccessibleDescription(QString::fromStdString(field_->doc));
        for (QWidget* one : {field, static_cast<QWidget*>(caption)}) one->setToolTip(fieldTip(*field_));
    }
    caption->setBuddy(field);
    auto* reset =
        describe(new QToolButton, QStringLiteral("%1.drop.%2").arg(name, key), tr("Reset %1").arg(label),
                 tr("Reset %1 to the run's value (Ctrl+Backspace in the field)").arg(label),
                 {.text = QStringLiteral("✕"), .role = "mini"});
    connect(reset, &QToolButton::clicked, this, &SettingChip::removed);
    describe(error_, QStringLiteral("%1.error.%2").arg(name, key),
             {.role = "error", .wraps = true, .hidden = true});
    error_->setMaximumWidth(px(kErrorWidth));
    auto* row = hbox({caption, field, reset}, {.spacing = space::kTight});
    vboxIn(this, {row, error_}, {.margins = {space::kTight, 1, 1, 1}, .spacing = 1});
}

QWidget* SettingChip::makeEditor(const std::vector<Choice>& offered) {
    const bool choice = field_ && field_->type == FieldType::Choice;
    if (field_ && field_->type == FieldType::Flag) {
        check_ = new QCheckBox;
        connect(check_, &QCheckBox::toggled, this, &SettingChip::edited);
        return check_;
    }
    if (choice || !offered.empty()) {
        combo_ = new QComboBox;
        if (choice)
            for (const std::string& one : field_->choices)
                combo_->addItem(QString::fromStdString(one), QString::fromStdString(one));
        for (const Choice& one : offered) combo_->addItem(one.title, one.id);
        for (int i = 0; i < combo_->count(); ++i)
            if (combo_->itemText(i) != combo_->itemData(i).toString())
                combo_->setItemData(i, combo_->itemData(i), Qt::ToolTipRole);
        combo_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        combo_->setMaximumWidth(px(2 * kTextWidth));
        connect(combo_, &QComboBox::currentIndexChanged, this, &SettingChip::edited);
        return combo_;
    }
    line_ = new QLineEdit;
    const bool text = !field_ || field_->type == FieldType::Text;
    line_->setFixedWidth(px(text ? kTextWidth : kNumberWidth));
    if (field_) line_->setPlaceholderText(fieldRange(*field_));
    connect(line_, &QLineEdit::textChanged, this, &SettingChip::edited);
    return line_;
}

QWidget* SettingChip::editor() const {
    if (check_ != nullptr) return check_;
    return combo_ != nullptr ? static_cast<QWidget*>(combo_) : line_;
}

QString SettingChip::value() const {
    if (check_ != nullptr) return check_->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
    return combo_ != nullptr ? combo_->currentData().toString() : line_->text().trimmed();
}

void SettingChip::setValue(const QString& text) {
    if (text == value()) return;
    if (check_ != nullptr) return check_->setChecked(text == QLatin1String("true"));
    if (line_ != nullptr) return line_->setText(text);
    if (combo_->findData(text) < 0) combo_->addItem(text, text);  // "file:…", or a missing run
    combo_->setCurrentIndex(combo_->findData(text));
}

QString SettingChip::error() const {
    if (!field_) return {};
    if (field_->type != FieldType::Text && value().isEmpty())
        return tr("no value; enter one or reset the setting");
    const auto parsed = parseFieldValue(*field_, value().toStdString());
    return parsed ? QString() : QString::fromStdString(parsed.error().message);
}

void SettingChip::setError(const QString& text) {
    showText(*error_, text);
    setStyleProperty(*editor(), "invalid", !text.isEmpty());
}

void SettingChip::focusEditor() {
    editor()->setFocus(Qt::OtherFocusReason);
    if (line_ != nullptr) line_->selectAll();
}

}  // namespace kurve::views
