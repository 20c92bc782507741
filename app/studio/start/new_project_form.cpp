#include "app/studio/start/new_project_form.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>

#include "core/wire/fields.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

QString qt(const wire::Fields& object, const char* key) {
    return QString::fromStdString(object.text(key));
}

}  // namespace

NewProjectForm::NewProjectForm(QWidget* parent)
    : QFrame(parent),
      name_(describe(new QLineEdit, "new.name", tr("Project name"))),
      folder_(describe(new QLineEdit, "new.folder", tr("Parent folder"))),
      browse_(describe(new QPushButton, "new.browse", tr("Choose folder"), {.text = tr("Browse…")})),
      create_(describe(new QPushButton, "new.create", tr("Create project"), {.text = tr("Create")})),
      cancel_(describe(new QPushButton, "new.cancel", tr("Close"))),
      templates_(describe(new QListWidget, "new.templates", tr("Templates"), {.wraps = true})),
      target_(describe(new QLabel, {.role = "caption", .wraps = true})),
      problem_(describe(new QLabel, "new.problem", tr("Error"), {.role = "error", .wraps = true})),
      progress_(describe(new QProgressBar, "new.progress", tr("Copying the template"))) {
    setObjectName(QStringLiteral("new"));
    folder_->setText(QDir::homePath());
    create_->setProperty("role", "primary");
    templates_->setMinimumHeight(px(72));
    templates_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    progress_->setRange(0, 0);  // the engine reports no progress
    progress_->setTextVisible(false);
    buildLayout();
    connect(name_, &QLineEdit::textChanged, this, &NewProjectForm::check);
    connect(folder_, &QLineEdit::textChanged, this, &NewProjectForm::check);
    connect(templates_, &QListWidget::currentRowChanged, this, &NewProjectForm::check);
    for (QLineEdit* box : {name_, folder_})
        connect(box, &QLineEdit::returnPressed, create_, [this] { create_->click(); });
    connect(browse_, &QPushButton::clicked, this, &NewProjectForm::chooseFolder);
    connect(create_, &QPushButton::clicked, this, &NewProjectForm::create);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        if (!busy_) return Q_EMIT closed();
        if (call_) call_->stop();  // its answer says so, and the copy is removed
    });
    setBusy(false);
}

void NewProjectForm::buildLayout() {
    const auto caption = [](const QString& text) { return describe(new QLabel(text), {.role = "caption"}); };
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(px(space::kSmall));
    grid->setVerticalSpacing(px(space::kSmall));
    grid->addWidget(caption(tr("Name")), 0, 0);
    grid->addWidget(name_, 0, 1, 1, 2);
    grid->addWidget(caption(tr("Parent folder")), 1, 0);
    grid->addWidget(folder_, 1, 1);
    grid->addWidget(browse_, 1, 2);
    grid->addWidget(caption(tr("Template")), 2, 0, Qt::AlignTop);
    grid->addWidget(templates_, 2, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    auto* buttons = hbox({{progress_, 1}, Stretch{}, cancel_, create_});
    vboxIn(this, {{grid, 1}, target_, problem_, buttons}, {.spacing = space::kSmall});
}

void NewProjectForm::open() {
    setProblem({});
    name_->setFocus(Qt::OtherFocusReason);
    name_->selectAll();
    if (templates_->count() > 0 || call_) return;
    call_ = EngineCall::start(
        {QStringLiteral("new"), QStringLiteral("--list")},
        [this](const Result<nlohmann::json>& answer) { showTemplates(answer); }, this);
}

void NewProjectForm::showTemplates(const Result<nlohmann::json>& answer) {
    if (!answer) return setProblem(QString::fromStdString(answer.error().text()));
    templates_->clear();
    for (const nlohmann::json& row : wire::Fields(*answer).list("templates")) {
        const wire::Fields one(row);
        auto* item = new QListWidgetItem(
            tr("%1 (%2): %3").arg(qt(one, "name"), bytesText(one.number("bytes")), qt(one, "title")),
            templates_);
        item->setData(Qt::UserRole, qt(one, "name"));
        if (qt(one, "name") == QLatin1String("blank")) templates_->setCurrentItem(item);
    }
    if (templates_->currentRow() < 0) templates_->setCurrentRow(0);
    check();
}

QString NewProjectForm::target() const {
    QString folder = folder_->text().trimmed();
    if (folder.startsWith(QLatin1String("~"))) folder = QDir::homePath() + folder.mid(1);
    const QString name = name_->text().trimmed();
    return name.isEmpty() || folder.isEmpty() ? QString() : QDir::cleanPath(folder + QLatin1Char('/') + name);
}

// The engine checks it again; this shows at once what it would refuse.
void NewProjectForm::check() {
    const QString folder = target();
    QString why;
    if (name_->text().contains(QLatin1Char('/')))
        why = tr("The name must not contain /.");
    else if (!folder.isEmpty() && QFileInfo(folder).isFile())
        why = tr("%1 is a file; choose another name.").arg(folder);
    else if (!folder.isEmpty() && QFileInfo(folder).isDir() && !QDir(folder).isEmpty())
        why = tr("%1 exists and is not empty; choose another name.").arg(folder);
    setProblem(why);
    target_->setText(folder.isEmpty() ? QString() : tr("Project folder: %1").arg(folder));
    create_->setEnabled(!busy_ && why.isEmpty() && !folder.isEmpty() && templates_->currentRow() >= 0);
}

void NewProjectForm::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Parent folder"), folder_->text());
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, folder_, &QLineEdit::setText);
    dialog->open();
}

void NewProjectForm::create() {
    if (busy_ || templates_->currentItem() == nullptr) return;
    const QString folder = target();
    setProblem({});
    setBusy(true);
    target_->setText(tr("Copying to %1…").arg(folder));
    call_ = EngineCall::start(
        {QStringLiteral("new"), folder, QStringLiteral("--template"),
         templates_->currentItem()->data(Qt::UserRole).toString()},
        [this, folder](const Result<nlohmann::json>& answer) {
            setBusy(false);
            if (answer) return Q_EMIT made(folder);
            check();
            setProblem(QString::fromStdString(answer.error().text()));
        },
        this);
}

void NewProjectForm::setBusy(bool busy) {
    busy_ = busy;
    progress_->setVisible(busy);
    cancel_->setText(busy ? tr("Cancel") : tr("Close"));
    cancel_->setAccessibleName(busy ? tr("Cancel the copy") : tr("Close"));
    for (QWidget* widget : std::initializer_list<QWidget*>{name_, folder_, browse_, templates_, create_})
        widget->setEnabled(!busy);
    if (!busy) check();
}

void NewProjectForm::setProblem(const QString& text) {
    problem_->setText(text);
    problem_->setVisible(!text.isEmpty());
}

}  // namespace kurve::studio
