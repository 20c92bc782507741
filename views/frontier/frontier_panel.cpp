#include "views/frontier/frontier_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableWidget>
#include <QVBoxLayout>
#include <filesystem>

#include "views/common/empty_state.h"
#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/frontier/slice_table.h"

namespace kurve::views {

namespace {

/// On a worker thread.
RunPoints readPoints(const QString& id, const QString& name, const std::filesystem::path& folder) {
    auto stored = frontier::loadPoints(folder);
    RunPoints run{id, name, std::move(stored.points), {}};
    for (const auto& error : stored.damaged) run.problems << QString::fromStdString(error.text());
    return run;
}

QString estimateText(const QString& title, const frontier::Estimate& e) {
    return QStringLiteral("%1 <b>%2</b> [%3, %4]")
        .arg(title.toHtmlEscaped(), numberText(e.value, 4), numberText(e.low, 4), numberText(e.high, 4));
}

}  // namespace

FrontierPanel::FrontierPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("frontier"), tr("Accuracy and diversity"), context, parent),
      quality_(new QComboBox),
      diversity_(new QComboBox),
      chart_(new FrontierChart),
      note_(new QLabel),
      point_(new QLabel),
      texts_(new QTableWidget),
      slice_(new SliceTable),
      form_(new SweepForm) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    row->setSpacing(px(space::kSmall));
    row->addWidget(buildPlane(), 1);
    row->addWidget(buildSide());
    for (QComboBox* combo : {quality_, diversity_})
        connect(combo, &QComboBox::currentIndexChanged, this, &FrontierPanel::redraw);
    connect(chart_, &FrontierChart::pinnedChanged, this, &FrontierPanel::showPoint);
    connect(chart_, &FrontierChart::hovered, this,
            [this](FrontierChart::Place place) { showPoint(place.valid() ? place : chart_->pinned()); });
    connect(chart_, &FrontierChart::opened, this, [this](FrontierChart::Place place) {
        chart_->pin(place);
        openText(0);
    });
    connect(chart_, &FrontierChart::sliceChanged, this, &FrontierPanel::showSlice);
    connect(texts_, &QTableWidget::cellActivated, this, &FrontierPanel::openText);
    connect(form_, &SweepForm::requested, this, &FrontierPanel::sweepRequested);
    connect(form_, &SweepForm::pauseRequested, this, &FrontierPanel::sweepPauseRequested);
    connect(form_, &SweepForm::cancelRequested, this, &FrontierPanel::sweepCancelRequested);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &FrontierPanel::showSlice);
    if (context.selection != nullptr)
        connect(context.selection, &Selection::runsChanged, this, &FrontierPanel::takeSelection);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::runsChanged, this, [this] {
            if (runs_.empty()) takeSelection();
        });
    takeSelection();
}

QWidget* FrontierPanel::buildPlane() {
    quality_->setObjectName(QStringLiteral("frontier.quality"));
    quality_->setAccessibleName(tr("Quality, upwards"));
    diversity_->setObjectName(QStringLiteral("frontier.diversity"));
    diversity_->setAccessibleName(tr("Diversity, to the right"));
    note_->setProperty("role", "caption");
    note_->setWordWrap(true);
    note_->setObjectName(QStringLiteral("frontier.note"));
    auto* axes = new QHBoxLayout;
    axes->setSpacing(px(space::kSmall));
    axes->addWidget(new QLabel(tr("Quality")));
    axes->addWidget(quality_);
    axes->addWidget(new QLabel(tr("against diversity")));
    axes->addWidget(diversity_);
    axes->addStretch(1);
    point_->setTextFormat(Qt::RichText);
    point_->setWordWrap(true);
    point_->setObjectName(QStringLiteral("frontier.point"));
    texts_->setObjectName(QStringLiteral("frontier.texts"));
    texts_->setAccessibleName(tr("Outputs of the chosen point"));
    texts_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    texts_->setSelectionBehavior(QAbstractItemView::SelectRows);
    texts_->setShowGrid(false);
    texts_->setTabKeyNavigation(false);
    texts_->verticalHeader()->hide();
    texts_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* details = new QWidget;
    auto* below = new QVBoxLayout(details);
    below->setContentsMargins(0, px(space::kSmall), 0, 0);
    below->setSpacing(px(space::kTight));
    below->addWidget(point_);
    below->addWidget(texts_, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(chart_);
    split->addWidget(details);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    auto* full = new QWidget;
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    column->setSpacing(px(space::kTight));
    column->addLayout(axes);
    column->addWidget(note_);
    column->addWidget(split, 1);
    auto* empty = new EmptyState;
    empty->setTexts(
        tr("No sweep yet"),
        tr("A sweep decodes the same sentences with many sampler settings and shows what quality costs in "
           "diversity and time. Choose the settings on the right and start it."));
    auto* card = new QFrame;
    card->setProperty("role", "card");
    stack_ = new QStackedLayout(card);
    stack_->addWidget(empty);
    stack_->addWidget(full);
    return card;
}

QWidget* FrontierPanel::buildSide() {
    auto* inside = new QWidget;
    inside->setProperty("role", "surface");
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(px(space::kMedium), px(space::kMedium), px(space::kMedium),
                               px(space::kMedium));
    column->setSpacing(px(space::kLarge));
    column->addWidget(form_);
    column->addWidget(slice_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setProperty("role", "card");
    scroll->setWidget(inside);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(px(320));
    scroll->setFrameShape(QFrame::NoFrame);
    return scroll;
}

void FrontierPanel::engineInfoChanged() {
    takeSelection();
    redraw();
}

void FrontierPanel::takeSelection() {
    if (context().selection == nullptr || context().catalog == nullptr) return;
    QStringList ids, names;
    for (const QString& id : context().selection->runs())
        if (const auto* run = context().catalog->run(id)) {
            ids << id;
            names << QString::fromStdString(run->name.empty() ? run->id : run->name);
        }
    form_->setRuns(ids, names);
    const auto* primary = ids.isEmpty() ? nullptr : context().catalog->run(ids.front());
    if (primary != nullptr && context().engine != nullptr)
        form_->setSchema(context().engine->family(primary->family));
    reload();
}

void FrontierPanel::reload() {
    struct Wanted {
        QString id, name;
        std::filesystem::path folder;
    };
    std::vector<Wanted> wanted;
    if (context().selection != nullptr && context().catalog != nullptr && context().project != nullptr)
        for (const QString& id : context().selection->runs())
            if (const auto* run = context().catalog->run(id))
                wanted.push_back({id, QString::fromStdString(run->name.empty() ? run->id : run->name),
                                  context().project->runFolder(run->id)});
    reading_.run(
        [wanted] {
            std::vector<RunPoints> runs;
            for (const auto& run : wanted) runs.push_back(readPoints(run.id, run.name, run.folder));
            return runs;
        },
        [this](std::vector<RunPoints> runs) { take(std::move(runs)); });
}

void FrontierPanel::take(std::vector<RunPoints> runs) {
    plane_ = {};  // refers to the points that go now
    chart_->show(plane_, [this](const QString& metric) { return title(metric); });
    runs_ = std::move(runs);
    fillAxes();
    redraw();
}

void FrontierPanel::fillAxes() {
    const auto fill = [this](QComboBox* combo, const QStringList& ids) {
        const QSignalBlocker quiet(combo);
        const QString before = combo->currentData().toString();
        combo->clear();
        for (const QString& id : ids) combo->addItem(title(id), id);
        combo->setCurrentIndex(std::max(0, combo->findData(before)));
    };
    fill(quality_, qualitiesOf(runs_));
    fill(diversity_, diversitiesOf(runs_));
}

QString FrontierPanel::title(const QString& metric) const {
    if (metric == QLatin1String("one-minus-self-bleu")) return tr("1 − self-BLEU");
    if (context().engine == nullptr) return metric;
    const auto text = context().engine->metric(metric.toStdString());
    const QString name = text.title.isEmpty() ? metric : text.title;
    return text.unit.isEmpty() ? name : QStringLiteral("%1 / %2").arg(name, text.unit);
}

void FrontierPanel::redraw() {
    plane_ = planeOf(runs_, quality_->currentData().toString(), diversity_->currentData().toString());
    stack_->setCurrentIndex(plane_.isEmpty() ? 0 : 1);
    chart_->show(plane_, [this](const QString& metric) { return title(metric); });
    QStringList notes;
    if (plane_.leftOut > 0)
        notes << tr("Left out, because measured on other sentences or with other seeds: %1.")
                     .arg(plane_.leftOut);
    for (const auto& run : runs_)
        for (const QString& problem : run.problems) notes << problem;
    if (!plane_.isEmpty()) {
        const auto& first = *plane_.curves.front().points.front();
        notes << tr("%1 sentences of the %2 split, %3 seeds; ellipses hold 95 % of the seeds, a bigger dot "
                    "takes longer. "
                    "Hatched: less varied than 90 % of the references.")
                     .arg(first.sentences)
                     .arg(QString::fromStdString(first.split))
                     .arg(first.seeds.size());
    }
    note_->setText(notes.join(QLatin1Char('\n')));
    showSlice();
    showPoint(chart_->pinned());
}

void FrontierPanel::showSlice() {
    slice_->setVisible(!plane_.isEmpty());
    if (!plane_.isEmpty())
        slice_->show(plane_, chart_->slice(), quality_->currentText(), diversity_->currentText());
}

const frontier::SweepPoint* FrontierPanel::pointAt(FrontierChart::Place place) const {
    if (!place.valid()) return nullptr;
    return plane_.curves[static_cast<std::size_t>(place.curve)].points[static_cast<std::size_t>(place.dot)];
}

void FrontierPanel::showPoint(FrontierChart::Place place) {
    const auto* point = pointAt(place);
    texts_->setRowCount(0);
    if (point == nullptr) {
        point_->setText(
            tr("<span>Point at a dot to read its numbers and texts; click keeps it, double-click opens its "
               "denoising.</span>"));
        texts_->hide();
        return;
    }
    QStringList numbers;
    for (const auto* side : {&point->quality, &point->diversity})
        for (const auto& [id, e] : *side) numbers << estimateText(title(QString::fromStdString(id)), e);
    const auto outputs = static_cast<double>(point->sentences) * static_cast<double>(point->seeds.size());
    numbers << tr("%1 network calls, %2 ms an output")
                   .arg(countText(point->cost.networkCalls),
                        numberText(1e3 * point->cost.seconds / outputs, 3));
    const auto& curve = plane_.curves[static_cast<std::size_t>(place.curve)];
    point_->setText(QStringLiteral("<b>%1</b>  ·  %2<br>%3")
                        .arg(curve.title.toHtmlEscaped(), settingsText(*point).toHtmlEscaped(),
                             numbers.join(QStringLiteral("  ·  "))));
    texts_->show();
    const int draws = static_cast<int>(point->seeds.size());
    texts_->setColumnCount(2 + draws);
    QStringList heads{tr("Source"), tr("Reference")};
    for (const auto seed : point->seeds) heads << tr("Seed %1").arg(seed);
    texts_->setHorizontalHeaderLabels(heads);
    texts_->setRowCount(static_cast<int>(point->texts.size()));
    for (int row = 0; row < texts_->rowCount(); ++row) {
        const auto& text = point->texts[static_cast<std::size_t>(row)];
        QStringList cells{QString::fromStdString(text.source), QString::fromStdString(text.reference)};
        for (const auto& output : text.outputs) cells << QString::fromStdString(output);
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setToolTip(cells[column]);
            texts_->setItem(row, column, item);
        }
    }
    texts_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
}

void FrontierPanel::openText(int row) {
    const auto* point = pointAt(chart_->pinned());
    if (point == nullptr || row < 0 || row >= static_cast<int>(point->texts.size())) return;
    FrontierTrace trace;
    trace.runId = plane_.curves[static_cast<std::size_t>(chart_->pinned().curve)].runId;
    trace.checkpoint = QString::number(point->step);
    trace.input = QString::fromStdString(point->texts[static_cast<std::size_t>(row)].source);
    for (const auto& [key, value] : point->settings)
        trace.settings[QString::fromStdString(key)] = QString::fromStdString(value);
    trace.seed = point->seeds.empty() ? 1 : point->seeds.front();
    Q_EMIT traceRequested(trace);
}

void FrontierPanel::setSweepStatus(const SweepStatus& status) {
    form_->setStatus(status);
}

bool FrontierPanel::hasData() const {
    return !plane_.isEmpty();
}

QString FrontierPanel::statement() const {
    if (plane_.isEmpty()) return tr("No sweep of the selected runs yet.");
    QStringList parts;
    for (const auto& curve : plane_.curves)
        parts << tr("%1: %2 points, %3 on the front")
                     .arg(curve.title)
                     .arg(curve.dots.size())
                     .arg(curve.front.size());
    return parts.join(QStringLiteral("; "));
}

}  // namespace kurve::views
