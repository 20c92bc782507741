#include "views/machines/machine_form.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

MachineForm::MachineForm(QWidget* parent)
    : QWidget(parent),
      name_(describe(new QLineEdit, "machines.name", tr("Name"), tr("Letters, digits, dash and underscore"),
                     {.placeholder = QStringLiteral("gpu")})),
      host_(describe(new QLineEdit, "machines.host", tr("Host"),
                     tr("What you would type after ssh; ports and keys belong into ~/.ssh/config"),
                     {.placeholder = tr("user@host, or a name of ~/.ssh/config")})),
      program_(describe(new QLineEdit, "machines.program", tr("Program"), tr("Name or path of kurve there"),
                        {.placeholder = QStringLiteral("kurve")})),
      folder_(describe(new QLineEdit, "machines.folder", tr("Folder"),
                       tr("Where this project's files lie there"))),
      problem_(describe(new QLabel, "machines.problem", tr("Error"),
                        {.role = "error", .wraps = true, .selectable = true})),
      save_(describe(new QPushButton, "machines.save", tr("Save to machines.toml"),
                     {.text = tr("Save"), .role = "primary"})),
      revert_(describe(new QPushButton, "machines.revert", tr("Revert to machines.toml"),
                       {.text = tr("Revert")})) {
    auto* rows = new QFormLayout(this);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    rows->setVerticalSpacing(px(space::kSmall));
    rows->addRow(tr("Name"), name_);
    rows->addRow(tr("Host"), host_);
    rows->addRow(tr("Program"), program_);
    rows->addRow(tr("Folder"), folder_);
    rows->addRow(problem_);
    auto* buttons = hbox({Stretch{}, revert_, save_});
    rows->addRow(buttons);
    for (QLineEdit* field : {name_, host_, program_, folder_}) {
        connect(field, &QLineEdit::textEdited, this, &MachineForm::showState);
        connect(field, &QLineEdit::returnPressed, save_, &QPushButton::click);
    }
    connect(save_, &QPushButton::clicked, this, [this] { Q_EMIT saveRequested(machine()); });
    connect(revert_, &QPushButton::clicked, this, &MachineForm::revert);
    revert();
}

void MachineForm::setMachine(const remote::Machine& machine, const QString& defaultFolder) {
    saved_ = machine;
    defaultFolder_ = defaultFolder.toStdString();
    folder_->setPlaceholderText(defaultFolder);
    revert();
}

void MachineForm::revert() {
    const auto fill = [](QLineEdit* field, const std::string& text, const std::string& fallback) {
        field->setText(text == fallback ? QString() : QString::fromStdString(text));
    };
    fill(name_, saved_.name, {});
    fill(host_, saved_.host, {});
    fill(program_, saved_.program, remote::Machine().program);
    fill(folder_, saved_.folder, defaultFolder_);
    showState();
}

/// Empty fields are the defaults.
remote::Machine MachineForm::machine() const {
    const auto text = [](const QLineEdit* field, const std::string& fallback) {
        const QString typed = field->text().trimmed();
        return typed.isEmpty() ? fallback : typed.toStdString();
    };
    return {text(name_, {}), text(host_, {}), text(program_, remote::Machine().program),
            text(folder_, defaultFolder_)};
}

bool MachineForm::isChanged() const {
    remote::Machine before = saved_;
    if (before.folder.empty()) before.folder = defaultFolder_;
    return machine() != before;
}

void MachineForm::showState() {
    problem_->hide();
    save_->setEnabled(isChanged() && !name_->text().trimmed().isEmpty() &&
                      !host_->text().trimmed().isEmpty());
    revert_->setEnabled(isChanged());
}

void MachineForm::showResult(const Status& saved) {
    problem_->setVisible(!saved);
    if (!saved) problem_->setText(QString::fromStdString(saved.error().text()));
}

void MachineForm::focusName() {
    name_->setFocus(Qt::OtherFocusReason);
}

}  // namespace kurve::views
