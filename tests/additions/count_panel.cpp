#include "tests/additions/count_panel.h"

#include <QLabel>
#include <QVBoxLayout>

#include "views/common/command_registry.h"
#include "views/common/content_or_empty.h"
#include "views/common/empty_state.h"
#include "views/common/run_catalog.h"

namespace kurve::views {

CountPanel::CountPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("count"), tr("Count"), context, parent),
      count_(new QLabel),
      empty_(new EmptyState) {
    count_->setObjectName(QStringLiteral("count.number"));
    count_->setAccessibleName(tr("Runs of the project"));
    empty_->setTexts(tr("No runs yet"), tr("F5 starts the first."));
    content_ = new ContentOrEmpty(count_, empty_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(content_);
    context.commands->add(
        {"count.say", tr("Say how many runs there are"), tr("View"), {}, tr("In the status bar")},
        [this] { Q_EMIT statusMessage(statement()); });
    connect(context.catalog, &RunCatalog::runsChanged, this, &CountPanel::refresh);
    refresh();
}

bool CountPanel::hasData() const {
    return !content_->isEmpty();
}

QString CountPanel::statement() const {
    return hasData() ? tr("The project has %1 runs.").arg(count_->text()) : QString();
}

void CountPanel::refresh() {
    const auto runs = context().catalog->runs().size();
    content_->setEmpty(runs == 0);
    count_->setText(QString::number(runs));
}

}  // namespace kurve::views
