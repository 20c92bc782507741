#include "views/monitor/log_panel.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/monitor/event_log_model.h"

namespace kurve::views {

LogPanel::LogPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("log"), tr("Log"), context, parent),
      log_(new EventLogModel(this)),
      filter_(new QSortFilterProxyModel(this)),
      search_(new QLineEdit),
      table_(describe(new QTableView, "log.table", tr("Run log"))) {
    filter_->setSourceModel(log_);
    filter_->setFilterKeyColumn(-1);
    filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    describe(search_, "log.search", tr("Search log"), {.placeholder = tr("Search log"), .clearable = true});
    table_->setModel(filter_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(px(22));
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setColumnWidth(EventLogModel::Time, px(84));
    table_->setColumnWidth(EventLogModel::Step, px(64));
    table_->setColumnWidth(EventLogModel::Kind, px(100));
    auto* page = describe(new QWidget, {.role = "surface", .filled = true});
    auto* head = hbox({search_}, {.margins = {space::kSmall, space::kTight}});
    vboxIn(page, {head, {table_, 1}}, {.margins = 0, .spacing = 0});
    setContent(page, [this] {
        const auto& runs = this->context().catalog->runs();
        if (!runs.empty())
            this->context().selection->setRuns({QString::fromStdString(runs.back().id)});
        else
            Q_EMIT statusMessage(tr("No runs yet; press F5 to start training."));
    });
    setEmptyTexts(tr("No log entries"), tr("Select a run to see its events."), tr("Show newest run"));

    connect(search_, &QLineEdit::textChanged, filter_, &QSortFilterProxyModel::setFilterFixedString);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (table_->hasFocus())
                    this->context().playhead->setTrainStep(index.data(EventLogModel::StepRole).toLongLong());
            });
    connect(context.playhead, &Playhead::trainStepChanged, this, &LogPanel::followPlayhead);
    connect(context.selection, &Selection::runsChanged, this, &LogPanel::takeSelection);
    connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == run_) takeData();
    });
    takeSelection();
}

void LogPanel::takeSelection() {
    const QString id = context().selection->primaryRun();
    if (watched_.set({id})) {
        run_ = id;
        log_->clear();
    }
    takeData();
}

void LogPanel::takeData() {
    if (const auto data = context().catalog->data(run_)) {
        const QScrollBar* bar = table_->verticalScrollBar();
        const bool atEnd = bar->value() >= bar->maximum() - 1;
        log_->setRows(data->log, data->events);
        if (atEnd) table_->scrollToBottom();
    }
    setEmpty(log_->rowCount() == 0);
}

void LogPanel::followPlayhead(qint64 step) {
    if (table_->hasFocus()) return;
    const int row = log_->rowAtStep(step);
    if (row >= 0) table_->selectRow(filter_->mapFromSource(log_->index(row, 0)).row());
}

QString LogPanel::statement() const {
    if (log_->rowCount() == 0) return tr("No log entries.");
    const QString all = tr("Events of the run: %1").arg(log_->rowCount());
    return search_->text().isEmpty()
               ? all + QLatin1Char('.')
               : all + tr(", %1 with “%2”.").arg(filter_->rowCount()).arg(search_->text());
}

}  // namespace kurve::views
