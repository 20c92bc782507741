#include "views/launch/draft_file.h"

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QRegularExpressionValidator>

#include "core/base/file.h"
#include "core/config/experiment_text.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme_listener.h"
#include "views/launch/draft/draft.h"

namespace kurve::views {

DraftFile::DraftFile(std::filesystem::path experiments, QWidget* parent)
    : QWidget(parent),
      experiments_(std::move(experiments)),
      text_(describe(new QPlainTextEdit, "launch.toml", tr("Draft as experiment file"))),
      name_(describe(new QLineEdit, "launch.file_name", tr("Experiment name"),
                     {.placeholder = tr("name of the new experiment")})),
      save_(new QPushButton(tr("Save"))) {
    text_->setReadOnly(true);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setFont(monoFont());
    text_->setMinimumHeight(px(90));
    text_->setMaximumHeight(px(240));
    name_->setValidator(new QRegularExpressionValidator(
        QRegularExpression(QStringLiteral("[A-Za-z0-9][A-Za-z0-9._-]*")), this));
    describe(save_, "launch.save", {}, tr("Save the draft as an experiment of the project"));
    vboxIn(this, {text_, hbox({{name_, 1}, save_})}, {.margins = 0, .spacing = space::kSmall});
    connect(save_, &QPushButton::clicked, this, &DraftFile::save);
    connect(name_, &QLineEdit::returnPressed, this, &DraftFile::save);
    connect(name_, &QLineEdit::textChanged, this,
            [this] { save_->setEnabled(!text_->toPlainText().isEmpty()); });
    onThemeChange(this, [this] { text_->setFont(monoFont()); });
}

QString DraftFile::text() const {
    return text_->toPlainText();
}

void DraftFile::focusName() {
    name_->setFocus(Qt::OtherFocusReason);
}

void DraftFile::showDraft(const Draft& draft) {
    QString text;
    if (draft.hasSettings() && draft.axes().isEmpty())
        text = QString::fromStdString(experimentText(*draft.config(), draft.config()->name()));
    text_->setPlaceholderText(
        draft.axes().isEmpty()
            ? tr("The draft has errors; see above.")
            : tr("The draft is a matrix of runs; give each setting one value to save an experiment."));
    if (text != text_->toPlainText()) text_->setPlainText(text);
    save_->setEnabled(!text.isEmpty());
}

void DraftFile::save() {
    const std::string name = name_->text().toStdString();
    if (name.empty() || text_->toPlainText().isEmpty())
        return Q_EMIT said(tr("Enter a name and fix the errors of the draft."));
    const std::filesystem::path file = experiments_ / (name + ".toml");
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        return Q_EMIT said(tr("Experiment %1 exists; choose another name.").arg(name_->text()));
    // The file has the name of the run; the shown text has the name of the old file.
    QString text = text_->toPlainText();
    text.replace(QRegularExpression(QStringLiteral("^name = .*$"), QRegularExpression::MultilineOption),
                 QStringLiteral("name = \"%1\"").arg(name_->text()));
    std::filesystem::create_directories(experiments_, ignored);
    if (const Status written = writeFileAtomically(file, text.toStdString()); !written)
        return Q_EMIT said(QString::fromStdString(written.error().text()));
    name_->clear();
    Q_EMIT saved(QString::fromStdString(file.string()));
}

}  // namespace kurve::views
