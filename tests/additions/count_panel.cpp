#include "tests/additions/count_panel.h"

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/data/run_catalog.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"

namespace kurve::views {

CountPanel::CountPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("count"), tr("Count"), context, parent),
      completed_(new QCheckBox(tr("Completed runs only"))),
      count_(new QLabel),
      empty_(new EmptyState) {
    completed_->setObjectName(QStringLiteral("count.completed"));
    count_->setObjectName(QStringLiteral("count.number"));
    count_->setAccessibleName(tr("Runs of the project"));
    empty_->setTexts(tr("No runs yet"), tr("F5 starts the first."));
    content_ = new ContentOrEmpty(count_, empty_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(completed_);
    layout->addWidget(content_);
    context.commands->add(
        {"count.say", tr("Say how many runs there are"), tr("View"), {}, tr("In the status bar")},
        [this] { Q_EMIT statusMessage(statement()); });
    context.commands->add({"count.open", tr("Open newest trace"), tr("View"), {}, tr("Of the selected run")},
                          [this] { ask<Traces>().openNewest(); });
    connect(completed_, &QCheckBox::toggled, this, &CountPanel::refresh);
    connect(completed_, &QCheckBox::toggled, this, &Panel::stateChanged);
    connect(context.catalog, &RunCatalog::runsChanged, this, &CountPanel::refresh);
    refresh();
}

bool CountPanel::hasData() const {
    return !content_->isEmpty();
}

QString CountPanel::statement() const {
    return hasData() ? tr("The project has %1 runs.").arg(count_->text()) : QString();
}

QJsonObject CountPanel::saveState() const {
    return {{QStringLiteral("completed"), completed_->isChecked()}};
}

void CountPanel::restoreState(const QJsonObject& saved) {
    completed_->setChecked(saved.value(QStringLiteral("completed")).toBool());
}

void CountPanel::refresh() {
    const auto& runs = context().catalog->runs();
    content_->setEmpty(runs.empty());
    count_->setText(QString::number(std::count_if(runs.begin(), runs.end(), [this](const auto& run) {
        return !completed_->isChecked() || run.state == "completed";
    })));
}

}  // namespace kurve::views
