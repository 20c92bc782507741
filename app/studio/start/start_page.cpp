#include "app/studio/start/start_page.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>

#include "app/studio/start/new_project_form.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

StartPage::StartPage(const QStringList& recent, QWidget* parent) : QWidget(parent), problem_(new QLabel) {
    setObjectName(QStringLiteral("start"));
    setWindowTitle(QStringLiteral("Kurve"));
    resize(px(760), px(520));
    auto* title = new QLabel(QStringLiteral("Kurve"));
    QFont font = title->font();
    font.setPixelSize(px(28));
    font.setWeight(QFont::DemiBold);
    title->setFont(font);
    auto* about = describe(new QLabel(tr("Train, inspect and compare non-autoregressive language models.")),
                           {.role = "caption"});
    const QString copy = QDir::homePath() + QStringLiteral("/kurve-sample");
    sample_ =
        describe(new QPushButton(tr("Open sample project")), "start.sample", {}, copy, {.role = "primary"});
    open_ = describe(new QPushButton(tr("Open project…")), "start.open");
    new_ = describe(new QPushButton(tr("New project…")), "start.new", {},
                    tr("From a template: empty, sample, or study"));
    describe(problem_, {.role = "error", .wraps = true, .hidden = true});
    form_ = new NewProjectForm;
    recent_ = new QWidget;
    auto* layout = vboxIn(this,
                          {title,
                           about,
                           Gap{space::kHuge},
                           {sample_, 0, Qt::AlignLeft},
                           {new_, 0, Qt::AlignLeft},
                           {open_, 0, Qt::AlignLeft},
                           problem_,
                           {form_, 1},
                           recent_},
                          {.margins = {64, 56, 64, 48}, .spacing = space::kSmall});
    fillRecent(recent);
    layout->addStretch(1);
    form_->hide();
    connect(new_, &QPushButton::clicked, this, [this] { showForm(true); });
    connect(form_, &NewProjectForm::closed, this, [this] { showForm(false); });
    connect(form_, &NewProjectForm::made, this, &StartPage::projectChosen);
    connect(open_, &QPushButton::clicked, this, &StartPage::chooseFolder);
    connect(sample_, &QPushButton::clicked, this, [this, copy] {
        if (QFileInfo::exists(copy + QStringLiteral("/project.toml")))
            Q_EMIT projectChosen(copy);
        else
            Q_EMIT sampleChosen(copy);
    });
}

void StartPage::showForm(bool on) {
    form_->setVisible(on);
    recent_->setVisible(!on);
    new_->setVisible(!on);
    on ? form_->open() : new_->setFocus();
}

void StartPage::fillRecent(const QStringList& recent) {
    auto* layout = vboxIn(recent_, {}, {.margins = 0, .spacing = space::kSmall});
    if (!recent.isEmpty()) {
        layout->addSpacing(px(space::kLarge));
        layout->addWidget(describe(new QLabel(tr("RECENT PROJECTS")), {.role = "section"}));
    }
    for (const QString& folder : recent) {
        auto* link = new QPushButton(QStringLiteral("%1   %2").arg(QFileInfo(folder).fileName(), folder));
        link->setProperty("role", "link");
        layout->addWidget(link, 0, Qt::AlignLeft);
        connect(link, &QPushButton::clicked, this, [this, folder] { Q_EMIT projectChosen(folder); });
    }
}

void StartPage::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Open project"), QDir::homePath());
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &StartPage::projectChosen);
    dialog->open();
}

void StartPage::setProblem(const QString& text) {
    tell(text, "error");
    sample_->setEnabled(true);
}

void StartPage::setBusy(const QString& text) {
    tell(text, "caption");
    sample_->setEnabled(false);
}

void StartPage::tell(const QString& text, const char* role) {
    problem_->setText(text);
    setStyleProperty(*problem_, "role", role);
    problem_->setVisible(!text.isEmpty());
}

}  // namespace kurve::studio
