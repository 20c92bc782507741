#include "views/prompt/reference_field.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

ReferenceField::ReferenceField(std::function<QString(const QString&)> known, QWidget* parent)
    : QWidget(parent), known_(std::move(known)), line_(new QLineEdit), button_(new QPushButton) {
    auto* label = describe(new QLabel(tr("reference")), {.role = "caption"});
    label->setBuddy(line_);
    describe(line_, "prompt.reference", tr("Reference"),
             {.placeholder = tr("Expected output, for BLEU and chrF per step and the targets of the curve"),
              .clearable = true});
    hboxIn(this, {label, {line_, 1}}, {.margins = 0, .spacing = space::kSmall});
    describe(button_, "prompt.reference_button", {.role = "quiet", .checkable = true});
    connect(button_, &QPushButton::toggled, this, [this](bool open) {
        setVisible(open);
        if (open && isVisible()) line_->setFocus();
    });
    connect(line_, &QLineEdit::textEdited, this, &ReferenceField::setTypedReference);
    hide();
    showButton();
}

void ReferenceField::setPrompt(const QString& prompt) {
    prompt_ = prompt;
    const auto own = typed_.constFind(prompt);
    const QString text = own != typed_.constEnd() ? *own : known_(prompt);
    if (text != reference()) line_->setText(text);
    showButton();
}

void ReferenceField::setTypedReference(const QString& text) {
    if (text.simplified() == known_(prompt_).simplified())
        typed_.remove(prompt_);
    else
        typed_[prompt_] = text.simplified();
    showButton();
    Q_EMIT changed();
}

void ReferenceField::setReference(const QString& text) {
    show(text);
    button_->setChecked(true);
}

void ReferenceField::show(const QString& text) {
    line_->setText(text);
    setTypedReference(text);
}

QString ReferenceField::reference() const {
    return line_->text().simplified();
}

QMap<QString, QString> ReferenceField::typed(const QStringList& prompts) const {
    QMap<QString, QString> out;
    for (auto it = typed_.begin(); it != typed_.end(); ++it)
        if (it.key() == prompt_ || prompts.contains(it.key())) out[it.key()] = *it;
    return out;
}

void ReferenceField::setTyped(const QMap<QString, QString>& references) {
    typed_ = references;
    refresh();
}

void ReferenceField::showButton() {
    const QString text = reference();
    button_->setText(text.isEmpty() ? tr("+ reference") : tr("reference ✓"));
    describe(button_, {}, text.isEmpty() ? tr("Add reference") : tr("Show reference"),
             text.isEmpty() ? tr("Add a reference; each step is scored against it") : text);
}

}  // namespace kurve::views
