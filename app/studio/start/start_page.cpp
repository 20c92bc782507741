#include "app/studio/start/start_page.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include "app/studio/start/new_project_form.h"
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
    auto* about = new QLabel(tr("Train, inspect and compare non-autoregressive language models."));
    about->setProperty("role", "caption");
    const QString copy = QDir::homePath() + QStringLiteral("/kurve-sample");
    sample_ = new QPushButton(tr("Open sample project"));
    sample_->setObjectName(QStringLiteral("start.sample"));
    sample_->setProperty("role", "primary");
    sample_->setToolTip(copy);
    open_ = new QPushButton(tr("Open project…"));
    open_->setObjectName(QStringLiteral("start.open"));
    new_ = new QPushButton(tr("New project…"));
    new_->setObjectName(QStringLiteral("start.new"));
    new_->setToolTip(tr("From a template: empty, sample, or study"));
    problem_->setProperty("role", "error");
    problem_->setWordWrap(true);
    problem_->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(64), px(56), px(64), px(48));
    layout->setSpacing(px(space::kSmall));
    layout->addWidget(title);
    layout->addWidget(about);
    layout->addSpacing(px(space::kHuge));
    layout->addWidget(sample_, 0, Qt::AlignLeft);
    layout->addWidget(new_, 0, Qt::AlignLeft);
    layout->addWidget(open_, 0, Qt::AlignLeft);
    layout->addWidget(problem_);
    form_ = new NewProjectForm;
    layout->addWidget(form_, 1);
    recent_ = new QWidget;
    layout->addWidget(recent_);
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
    auto* layout = new QVBoxLayout(recent_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kSmall));
    if (!recent.isEmpty()) {
        layout->addSpacing(px(space::kLarge));
        auto* head = new QLabel(tr("RECENT PROJECTS"));
        head->setProperty("role", "section");
        layout->addWidget(head);
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
    problem_->setProperty("role", QLatin1String(role));
    problem_->style()->unpolish(problem_);
    problem_->style()->polish(problem_);
    problem_->setVisible(!text.isEmpty());
}

}  // namespace kurve::studio
