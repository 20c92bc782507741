#include "views/frontier/frontier_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/form/saved_controls.h"
#include "views/common/services/project_files.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/frontier/point_table.h"
#include "views/frontier/slice_table.h"
#include "views/frontier/sweeps.h"

namespace kurve::views {

namespace {

/// On a worker thread.
void readPoints(RunPoints& run, const std::filesystem::path& folder) {
    auto stored = frontier::loadPoints(folder);
    run.points = std::move(stored.points);
    for (const auto& error : stored.damaged) run.problems << qt(error.text());
}

bool isSame(const frontier::SweepPoint& a, const frontier::SweepPoint& b) {
    const auto key = [](const frontier::SweepPoint& point) {
        return std::tie(point.run, point.checkpointSha256, point.split, point.settings, point.seeds,
                        point.sentences);
    };
    return key(a) == key(b);
}

}  // namespace

PromptRequest requestFor(const frontier::SweepPoint& point, std::size_t row, std::size_t draw,
                         const QString& runId) {
    const auto& text = point.texts[row];
    PromptRequest request;
    request.runId = runId;
    request.checkpoint = requestedCheckpoint(qt(point.checkpoint), QString::number(point.step));
    request.input = qt(text.source);
    request.reference = qt(text.reference);
    for (const auto& [key, value] : point.settings) request.settings[qt(key)] = qt(value);
    if (draw < point.seeds.size()) request.seed = point.seeds[draw];
    request.seed += text.noise.seedOffset;
    request.row = text.noise.row;
    if (draw < text.outputs.size()) request.expected = qt(text.outputs[draw]);
    return request;
}

FrontierPanel::FrontierPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("frontier"), tr("Accuracy and diversity"), context, parent),
      quality_(new LastingChoiceBox),
      diversity_(new LastingChoiceBox),
      chart_(new FrontierChart),
      note_(new QLabel),
      details_(new PointDetails),
      slice_(new SliceTable(SliceTable::Equal::Diversity)),
      level_(new SliceTable(SliceTable::Equal::Quality)),
      fronts_(new FrontTable),
      corner_(new QLabel),
      form_(new SweepForm) {
    hboxIn(this, {{buildPlane(), 1}, buildSide()}, {.margins = space::kSmall, .spacing = space::kSmall});
    for (QComboBox* combo : {quality_, diversity_}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &FrontierPanel::redraw);
        connect(combo, &QComboBox::currentIndexChanged, this, &FrontierPanel::stateChanged);
    }
    connect(chart_, &FrontierChart::pinnedChanged, this, [this](FrontierChart::PointIndex index) {
        details_->offerUndo({}, nullptr);  // it was of another point
        if (index.valid()) details_->setCurrentIndex(0);
        showPoint(index);
    });
    connect(chart_, &FrontierChart::pointHovered, this,
            [this](FrontierChart::PointIndex index) { showPoint(index.valid() ? index : chart_->pinned()); });
    connect(chart_, &FrontierChart::opened, this, [this](FrontierChart::PointIndex index) {
        chart_->pin(index);
        openText(0, 0);
    });
    connect(chart_, &FrontierChart::sliceChanged, this, &FrontierPanel::showSlice);
    connect(chart_, &FrontierChart::levelChanged, this, &FrontierPanel::showSlice);
    connect(chart_, &FrontierChart::chosenChanged, this, &FrontierPanel::showChosen);
    connect(chart_, &FrontierChart::lassoChanged, lasso_, &QPushButton::setChecked);
    connect(lasso_, &QPushButton::toggled, chart_, &FrontierChart::setLasso);
    connect(details_, &PointDetails::textOpened, this, &FrontierPanel::openText);
    connect(details_, &PointDetails::useWanted, this, &FrontierPanel::use);
    connectSweeps();
    onThemeChange(this, [this] {
        if (!plane_.isEmpty()) fronts_->show(plane_);
        showSlice();
        showChosen();
    });
    if (context.selection != nullptr)
        connect(context.selection, &Selection::runsChanged, this, &FrontierPanel::takeSelection);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::runsChanged, this, [this] {
            if (runs_.empty()) takeSelection();
        });
    addCommands();
    takeSelection();
}

void FrontierPanel::connectSweeps() {
    Sweeps* sweeps = &ask<Sweeps>();
    connect(form_, &SweepForm::requested, sweeps, &Sweeps::start);
    connect(form_, &SweepForm::pauseRequested, sweeps, &Sweeps::pause);
    connect(form_, &SweepForm::cancelRequested, sweeps, &Sweeps::cancel);
    connect(form_, &SweepForm::draftChanged, this, &FrontierPanel::stateChanged);
    connect(sweeps, &Sweeps::statusChanged, form_, &SweepForm::setStatus);
    connect(sweeps, &Sweeps::pointsChanged, this, &FrontierPanel::reload);
    form_->setStatus(sweeps->status());
}

void FrontierPanel::engineInfoChanged() {
    takeSelection();
    redraw();
}

void FrontierPanel::takeSelection() {
    if (context().selection == nullptr || context().catalog == nullptr) return;
    QStringList ids, names;
    for (const RunPoints& run : selectedRuns()) {
        ids << run.id;
        names << run.name;
    }
    form_->setRuns(ids, names);
    const auto* primary = ids.isEmpty() ? nullptr : context().catalog->run(ids.front());
    if (context().engine != nullptr) form_->setScorers(scorerRuns(*context().catalog, *context().engine));
    if (primary != nullptr && context().engine != nullptr)
        form_->setSchema(context().engine->family(primary->family));
    reload();
}

std::vector<RunPoints> FrontierPanel::selectedRuns() const {
    std::vector<RunPoints> runs;
    if (context().selection == nullptr || context().catalog == nullptr) return runs;
    for (const QString& id : context().selection->runs())
        if (const auto* run = context().catalog->run(id)) runs.push_back({id, runName(*run), {}, {}});
    return runs;
}

void FrontierPanel::reload() {
    if (context().project == nullptr) return take({});
    reading_.run(
        [runs = selectedRuns(), project = *context().project]() mutable {
            for (RunPoints& run : runs) readPoints(run, project.runFolder(run.id.toStdString()));
            return std::move(runs);
        },
        [this](std::vector<RunPoints> runs) { take(std::move(runs)); });
}

/// A point that is there again stays pinned or selected: a running sweep adds one each second.
void FrontierPanel::take(std::vector<RunPoints> runs) {
    const auto before = std::exchange(runs_, std::move(runs));  // the plane refers to its points
    const frontier::SweepPoint* pinned = pointAt(chart_->pinned());
    std::vector<const frontier::SweepPoint*> chosen;
    for (const auto& index : chart_->chosen()) chosen.push_back(pointAt(index));
    const int tab = details_->currentIndex();
    const QSignalBlocker quiet(chart_);
    fillAxes();
    redraw();
    std::vector<FrontierChart::PointIndex> again;
    for (int curve = 0; const auto& drawn : plane_.curves) {
        for (FrontierChart::PointIndex index{curve++, 0}; const auto* point : drawn.points) {
            if (pinned != nullptr && isSame(*point, *pinned)) chart_->pin(index);
            if (std::ranges::any_of(chosen, [&](const auto* old) { return isSame(*point, *old); }))
                again.push_back(index);
            ++index.point;
        }
    }
    chart_->choose(std::move(again));
    if (!chart_->pinned().valid()) details_->offerUndo({}, nullptr);
    showPoint(chart_->pinned());
    showChosen();
    details_->setCurrentIndex(tab);
}

void FrontierPanel::fillAxes() {
    const auto fill = [this](LastingChoiceBox& box, const QStringList& ids) {
        BoxChoices items;
        for (const QString& id : ids) items.append({id, title(id)});
        box.offer(items);
    };
    fill(*quality_, qualitiesOf(runs_));
    fill(*diversity_, diversitiesOf(runs_));
}

QJsonObject FrontierPanel::saveState() const {
    QJsonObject saved = saveControls({quality_, diversity_});
    saved[QStringLiteral("sweep")] = form_->save();
    return saved;
}
void FrontierPanel::restoreState(const QJsonObject& saved) {
    restoreControls({quality_, diversity_}, saved);
    form_->restore(saved.value(QStringLiteral("sweep")).toObject());
}

QString FrontierPanel::title(const QString& metric) const {
    if (metric == QLatin1String(frontier::kOneMinusSelfBleu)) return tr("1 − self-BLEU");
    if (metric.startsWith(QLatin1String(frontier::kOneMinus)))
        return tr("1 − %1 / %")
            .arg(metric.mid(static_cast<int>(std::string_view(frontier::kOneMinus).size())));
    if (context().engine == nullptr) return metric;
    const auto text = context().engine->metric(metric.toStdString());
    const QString name = text.title.isEmpty() ? metric : text.title;
    return text.unit.isEmpty() ? name : QStringLiteral("%1 / %2").arg(name, text.unit);
}

QString FrontierPanel::planeId() const {
    return quality_->currentData().toString() + QLatin1Char(':') + diversity_->currentData().toString();
}

void FrontierPanel::toggleInReport() {
    QStringList planes = ask<ProjectFiles>().reportPlanes();
    if (planes.removeAll(planeId()) == 0) planes << planeId();
    ask<ProjectFiles>().setReportPlanes(planes);
    showInReport();
    Q_EMIT statusMessage(planes.isEmpty()
                             ? tr("No planes selected for the report.")
                             : tr("Planes in the report: %1.").arg(planes.join(QStringLiteral(", "))));
}

void FrontierPanel::showInReport() {
    const bool in = ask<ProjectFiles>().reportPlanes().contains(planeId());
    inReport_->setChecked(in);
    inReport_->setText(in ? tr("✓ In the report") : tr("Add to report"));
}

void FrontierPanel::redraw() {
    plane_ = planeOf(runs_, quality_->currentData().toString(), diversity_->currentData().toString());
    content_->setEmpty(plane_.isEmpty());
    chart_->show(plane_, [this](const QString& metric) { return title(metric); });
    QStringList notes;
    if (plane_.leftOut > 0)
        notes
            << tr("Excluded: other evaluation settings (%1).").arg(countedText(plane_.leftOut, tr("point")));
    for (const auto& run : runs_)
        for (const QString& problem : run.problems) notes << problem;
    if (!plane_.isEmpty()) {
        const auto& first = *plane_.curves.front().points.front();
        const bool ellipses = std::any_of(plane_.curves.begin(), plane_.curves.end(), [](const auto& curve) {
            return std::any_of(curve.front.begin(), curve.front.end(),
                               [&](std::size_t point) { return curve.ellipses[point].has_value(); });
        });
        QString note = tr("%1 of the %2 split, %3; %4point size: decoding time.")
                           .arg(countedText(first.sentences, tr("sentence")), qt(first.split),
                                countedText(static_cast<qint64>(first.seeds.size()), tr("seed")),
                                ellipses ? tr("ellipses: 95 % of the seeds; ") : QString());
        if (plane_.referenceDiversity) note += tr(" Hatched: diversity below 90 % of the references.");
        notes << note;
    }
    if (isPerplexity(plane_))
        notes.prepend(
            tr("⚠ Generative perplexity rewards repetition: compare it at equal diversity, with a "
               "reference-based quality. Crossed out: some diversity below 90 % of the references. Above the "
               "★: lower perplexity than the references, which is not better."));
    if (!plane_.isEmpty() && frontier::isScorerQuality(plane_.quality.toStdString()))
        notes << tr("Scorer: %1.")
                     .arg(qt(plane_.curves.front().points.front()->scorer).section(QLatin1Char(' '), 0, 1));
    note_->setText(notes.join(QLatin1Char('\n')));
    if (!plane_.isEmpty()) {
        fronts_->show(plane_);
        corner_->setText(
            tr("Hypervolume: area under a front above the worst of all points, %1 = %2 and %3 = %4.")
                .arg(diversity_->currentText(), numberText(plane_.cornerX, 3), quality_->currentText(),
                     numberText(plane_.cornerY, 3)));
    }
    showInReport();
    showSlice();
    showPoint(chart_->pinned());
}

void FrontierPanel::showSlice() {
    for (QWidget* part : std::initializer_list<QWidget*>{slice_, level_, fronts_, corner_})
        part->setVisible(!plane_.isEmpty());
    if (plane_.isEmpty()) return;
    slice_->show(plane_, chart_->slice(), quality_->currentText(), diversity_->currentText());
    level_->show(plane_, chart_->level(), quality_->currentText(), diversity_->currentText());
}

const frontier::SweepPoint* FrontierPanel::pointAt(FrontierChart::PointIndex index) const {
    if (!index.valid()) return nullptr;
    return plane_.curves[static_cast<std::size_t>(index.curve)].points[static_cast<std::size_t>(index.point)];
}

void FrontierPanel::showChosen() {
    details_->showSelected(plane_, chart_->chosen(), quality_->currentText(), diversity_->currentText());
}

void FrontierPanel::showPoint(FrontierChart::PointIndex index) {
    const auto* point = pointAt(index);
    const QString run = point ? plane_.curves[static_cast<std::size_t>(index.curve)].title : QString();
    details_->showPoint(point, run, [this](const QString& metric) { return title(metric); });
}

void FrontierPanel::openText(int row, int draw) {
    const auto* point = pointAt(chart_->pinned());
    if (point == nullptr || row < 0 || row >= static_cast<int>(point->texts.size())) return;
    PromptRequest request =
        requestFor(*point, static_cast<std::size_t>(row), static_cast<std::size_t>(std::max(0, draw)),
                   plane_.curves[static_cast<std::size_t>(chart_->pinned().curve)].runId);
    request.settings =
        overDefaultSampler(context(), request.runId, QMap<QString, QString>(request.settings)).toStdMap();
    ask<Studio>().reveal(QStringLiteral("timeline"));
    ask<Prompts>().request(request);
}

void FrontierPanel::use(SamplerUse where) {
    const auto* point = pointAt(chart_->pinned());
    if (point == nullptr) return Q_EMIT statusMessage(tr("No point is selected; click one."));
    QMap<QString, QString> settings;
    for (const auto& [key, value] : point->settings) settings[qt(key)] = qt(value);
    if (settings.isEmpty()) return Q_EMIT statusMessage(tr("This point has the run's own settings."));
    const auto& curve = plane_.curves[static_cast<std::size_t>(chart_->pinned().curve)];
    const SamplerUsed used = useSampler(context(), where, curve.runId, settings);
    if (where == SamplerUse::Prompt) Q_EMIT statusMessage(tr("The next prompts use these settings."));
    details_->offerUndo(used.text, used.undo);
}

bool FrontierPanel::hasData() const {
    return !plane_.isEmpty();
}

/// "BLEU against 1 − self-BLEU: restore-sclm best 41.2, 5 of 12 points on its front; …"
QString FrontierPanel::statement() const {
    if (plane_.isEmpty()) return tr("No sweep of the selected runs yet.");
    QStringList parts;
    for (const auto& curve : plane_.curves) {
        double best = -INFINITY;
        for (const auto& point : curve.planePoints) best = std::max(best, point.y);
        parts << tr("%1 best %2, %3 of %4 on its front")
                     .arg(curve.title, numberText(plane_.direction * best, 3))
                     .arg(curve.front.size())
                     .arg(countedText(static_cast<qint64>(curve.planePoints.size()), tr("point")));
    }
    const QString left =
        plane_.leftOut == 0
            ? QString()
            : tr(" Excluded: other evaluation settings (%1).").arg(countedText(plane_.leftOut, tr("point")));
    return tr("%1 against %2: %3.")
               .arg(quality_->currentText(), diversity_->currentText(), parts.join(QStringLiteral("; "))) +
           left;
}

}  // namespace kurve::views
