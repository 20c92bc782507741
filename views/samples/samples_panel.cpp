#include "views/samples/samples_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/table/fit_rows.h"
#include "views/common/table/rich_text_delegate.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/samples/sample_table_model.h"

namespace kurve::views {

namespace {

QToolButton* arrow(const QString& text, const QString& id, const QString& tip) {
    return describe(new QToolButton, id, tip, tip, {.text = text, .role = "quiet"});
}

}  // namespace

SamplesPanel::SamplesPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("samples"), tr("Samples"), context, parent),
      model_(new SampleTableModel(this)),
      table_(describe(new QTableView, "samples.table", tr("Outputs for the fixed prompts"))),
      where_(describe(new QLabel, {.role = "caption"})),
      earlier_(arrow(QStringLiteral("◂"), QStringLiteral("samples.earlier"), tr("Earlier evaluation"))),
      later_(arrow(QStringLiteral("▸"), QStringLiteral("samples.later"), tr("Later evaluation"))),
      latest_(describe(new QPushButton(tr("Newest")), "samples.newest", {},
                       tr("Follow the newest evaluation"), {.role = "quiet", .checkable = true})),
      open_(describe(new QPushButton(tr("Open trace")), "samples.open", {},
                     tr("Open the trace of the selected output (Enter)"), {.role = "quiet"})) {
    table_->setModel(model_);
    table_->setItemDelegate(new RichTextDelegate(SampleTableModel::HtmlRole, table_));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setTabKeyNavigation(false);
    table_->setShowGrid(false);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);

    auto* head =
        wrapBox({earlier_, later_, latest_, Gap{space::kSmall}, where_, Stretch{}, open_},
                {.margins = {space::kMedium, space::kTight, space::kSmall, space::kTight}, .spacing = 2});
    leaveOutOfFigures({earlier_, later_, latest_, open_});
    auto* page = describe(new QWidget, {.role = "surface", .filled = true});
    vboxIn(page, {head, {table_, 1}}, {.margins = 0, .spacing = 0});
    setContent(page, [this] { this->context().commands->trigger(QStringLiteral("run.sample")); });

    connect(earlier_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(later_, &QToolButton::clicked, this, [this] { step(1); });
    connect(latest_, &QPushButton::clicked, this, [this] {
        newest_ = true;
        refresh();
    });
    connect(open_, &QPushButton::clicked, this, &SamplesPanel::openTrace);
    connect(table_, &QTableView::doubleClicked, this, &SamplesPanel::openTrace);
    connect(table_, &QTableView::activated, this, &SamplesPanel::openTrace);
    fitRows(*table_);
    connect(context.selection, &Selection::runsChanged, this, &SamplesPanel::takeSelection);
    connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == run_) refresh();
    });
    connect(context.playhead, &Playhead::trainStepChanged, this, [this](qint64 trainStep) {
        newest_ = trainStep <= 0 || evaluations_.empty() || trainStep >= evaluations_.back();
        refresh();
    });
    onThemeChange(table_->viewport(), qOverload<>(&QWidget::update));
    addTry();
    takeSelection();
    newest_ = context.playhead->trainStep() == 0;  // a rebuilt window shows the playhead's step
    refresh();
}

void SamplesPanel::addTry() {
    const CommandGroup add(context().commands, tr("View"), table_);
    table_->addAction(
        add("samples.try", tr("Try in Inspect"), Qt::Key_T,
            tr("This prompt with its reference, in the prompt bar"), [this] {
                const QModelIndex row = table_->currentIndex();
                if (!row.isValid()) return Q_EMIT statusMessage(tr("No sample selected; choose one."));
                const auto text = [&](int column) { return row.siblingAtColumn(column).data().toString(); };
                ask<Studio>().reveal(QStringLiteral("prompt"));
                ask<PromptBar>().tryText(text(SampleTableModel::Input), text(SampleTableModel::Reference));
            }));
}

void SamplesPanel::takeSelection() {
    const QString id = context().selection->primaryRun();
    if (watched_.set({id})) {
        run_ = id;
        newest_ = true;
    }
    refresh();
}

void SamplesPanel::refresh() {
    const auto data = context().catalog->data(run_);
    evaluations_.clear();
    if (data) {
        std::set<qint64> steps;
        for (const auto& row : data->samples) steps.insert(row.step);
        evaluations_.assign(steps.begin(), steps.end());
    }
    setEmpty(evaluations_.empty());
    if (evaluations_.empty()) {
        shown_ = -1;
        model_->setRows({});
        const store::RunSummary* run = context().catalog->run(run_);
        const bool live = run && (run->state == "running" || run->state == "paused");
        if (live)
            setEmptyTexts(tr("No sample yet"), tr("The fixed prompts are sampled at every evaluation."),
                          tr("Sample now  (F7)"));
        else
            setEmptyTexts(tr("No samples"), run_.isEmpty() ? tr("No run selected; choose one.")
                                                           : tr("This run has no outputs."));
        return;
    }
    const int last = static_cast<int>(evaluations_.size()) - 1;
    shown_ = last;
    if (!newest_) {
        const qint64 at = context().playhead->trainStep();
        newest_ = at >= evaluations_.back();
        shown_ = static_cast<int>(std::upper_bound(evaluations_.begin(), evaluations_.end(), at) -
                                  evaluations_.begin()) -
                 1;
        shown_ = std::clamp(shown_, 0, last);
    }
    std::vector<store::SampleRow> rows;
    for (const auto& row : data->samples)
        if (row.step == evaluations_[static_cast<std::size_t>(shown_)]) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.prompt < b.prompt; });
    model_->setRows(std::move(rows));
    earlier_->setEnabled(shown_ > 0);
    later_->setEnabled(shown_ < last);
    latest_->setChecked(newest_);
    where_->setText(tr("step %1  ·  evaluation %2 of %3")
                        .arg(countText(evaluations_[static_cast<std::size_t>(shown_)]))
                        .arg(shown_ + 1)
                        .arg(evaluations_.size()));
}

void SamplesPanel::step(int by) {
    const int target = std::clamp(shown_ + by, 0, static_cast<int>(evaluations_.size()) - 1);
    if (target < 0 || evaluations_.empty()) return;
    context().playhead->setTrainStep(evaluations_[static_cast<std::size_t>(target)]);
}

void SamplesPanel::openTrace() {
    const QModelIndex index = table_->currentIndex().isValid() ? table_->currentIndex() : model_->index(0, 0);
    const QString file = index.data(SampleTableModel::TraceRole).toString();
    if (file.isEmpty())
        return Q_EMIT statusMessage(tr("Trace not saved for this sample; run the prompt in Inspect."));
    ask<Traces>().open(run_, file);
}

QString SamplesPanel::statement() const {
    if (!hasData()) return tr("No outputs of the fixed prompts.");
    const auto& rows = model_->rows();
    const auto same = std::count_if(rows.begin(), rows.end(), [](const store::SampleRow& row) {
        return !row.reference.empty() && row.output == row.reference;
    });
    return tr("%1 at step %2, evaluation %3 of %4; %5 identical to the reference.")
        .arg(countedText(static_cast<qint64>(rows.size()), tr("output")),
             countText(evaluations_[static_cast<std::size_t>(shown_)]))
        .arg(shown_ + 1)
        .arg(evaluations_.size())
        .arg(same);
}

}  // namespace kurve::views
