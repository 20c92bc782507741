#include "views/compare/explore_panel.h"

#include <QJsonArray>
#include <QPushButton>
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/config/experiment_text.h"
#include "core/store/filter_words.h"
#include "views/common/chart/chart_legend.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/run_catalog.h"
#include "views/common/data/run_ranking.h"
#include "views/common/form/choice_list.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme_listener.h"
#include "views/compare/parallel_plot.h"
#include "views/compare/scatter_plot.h"

namespace kurve::views {

namespace {
constexpr std::size_t kFirstAxes = 8, kFirstSettings = 4;
/// As the scatter draws them, by RunStyle::marker.
const std::array<QString, 6> kMarkers{QStringLiteral("●"), QStringLiteral("■"), QStringLiteral("◆"),
                                      QStringLiteral("▲"), QStringLiteral("✕"), QStringLiteral("✚")};
constexpr int kMaxLines = 3;  // of names

/// A few settings, then a few metrics.
QStringList firstKeys(const std::vector<ExploreAxis>& axes) {
    QStringList settings, metrics;
    for (const ExploreAxis& axis : axes) {
        QStringList& keys = axis.metric ? metrics : settings;
        if (keys.size() < static_cast<qsizetype>(axis.metric ? kFirstAxes - kFirstSettings : kFirstSettings))
            keys << QString::fromStdString(axis.key);
    }
    return settings + metrics;
}

/// Gives a setting that some run changed to the others, too, as their preset or family has it.
void fillUnchanged(std::vector<store::RunSummary>& runs, const EngineInfo& engine) {
    std::set<std::string> keys;
    for (const auto& run : runs)
        for (const auto& [key, value] : run.settings) keys.insert(key);
    std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> unchanged;
    for (auto& run : runs) {
        const auto [of, isNew] = unchanged.try_emplace({run.family, run.preset()});
        if (const auto schema = isNew ? engine.family(run.family) : nullptr)
            for (const std::string& key : keys)
                if (auto text = unchangedText(*schema, run.preset(), key)) of->second.emplace(key, *text);
        run.settings.insert(of->second.begin(), of->second.end());
    }
}
}  // namespace

ExplorePanel::ExplorePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("explore"), tr("Explore"), context, parent),
      note_(describe(new ElidedLabel("caption"), "explore.note")),
      names_(describe(new ChartLegend, "explore.names")),
      columns_(new QPushButton(tr("Axes…"))),
      clear_(describe(new QPushButton(tr("Reset filter")), "explore.clear", {}, tr("Show all runs"))),
      list_(new ChoiceList(ChoiceList::Kind::Checked, QStringLiteral("explore.list"),
                           tr("Axes of the parallel coordinates"), this)),
      parallel_(new ParallelPlot),
      scatter_(new ScatterPlot) {
    describe(columns_, "explore.axes", {}, tr("Settings and metrics shown as axes"));
    auto* head =
        hbox({{note_, 1}, clear_, columns_}, {.margins = {space::kSmall, space::kTight, space::kSmall, 0}});
    leaveOutOfFigures(*head);  // the caption has the note
    names_->setMostLines(kMaxLines);
    auto* plots = splitBox(Qt::Vertical, {{parallel_, 1}, {scatter_, 1}});
    scatter_->setMinimumHeight(px(190));
    plots->setSizes({px(400), px(400)});
    auto* colours = hbox({{names_, 1}}, {.margins = {space::kSmall, 0, space::kSmall, space::kTight}});
    setContent(boxed(vbox({head, colours, {plots, 1}}, {.margins = 0})),
               [this] { this->context().commands->trigger(QStringLiteral("workspace.train")); });
    setEmptyTexts(
        tr("Nothing to explore"),
        tr("Two or more runs are needed. Each setting and metric in which they differ becomes an axis."),
        tr("Train a run"));
    connect(columns_, &QPushButton::clicked, this, &ExplorePanel::openAxes);
    connect(list_, &ChoiceList::toggled, this, &ExplorePanel::setAxis);
    connect(clear_, &QPushButton::clicked, parallel_, &ParallelPlot::clearBrushes);
    connect(parallel_, &ParallelPlot::brushed, this, &ExplorePanel::takeFilter);
    connect(scatter_, &ScatterPlot::brushed, this, [this](const QString& terms) {
        parallel_->clearBrushes();  // the box alone filters
        takeFilter(terms);
    });
    connect(scatter_, &ScatterPlot::axesChosen, this, &ExplorePanel::stateChanged);
    connect(parallel_, &ParallelPlot::runChosen, this, &ExplorePanel::choose);
    connect(scatter_, &ScatterPlot::runChosen, this, &ExplorePanel::choose);
    connect(context.catalog, &RunCatalog::runsChanged, this, &ExplorePanel::takeRuns);
    connect(context.selection, &Selection::runsChanged, this, [this](const QStringList& ids) {
        parallel_->setChosen(ids);
        scatter_->setChosen(ids);
    });
    connect(context.selection, &Selection::hiddenChanged, this, &ExplorePanel::takeRuns);
    parallel_->setChosen(context.selection->runs());
    onThemeChange(this, &ExplorePanel::updateLegend);
    takeRuns();
}

void ExplorePanel::takeRuns() {
    runs_.clear();
    for (const auto& run : context().catalog->runs())
        if (!run.trashed && !store::isArchived(run) &&
            !context().selection->isHidden(QString::fromStdString(run.id)))
            runs_.push_back(run);
    fillUnchanged(runs_, *context().engine);
    axes_ = exploreAxes(runs_, *context().engine);
    setEmpty(!hasData());
    showAxes();
}

void ExplorePanel::showAxes() {
    const QStringList keys = shownKeys();
    std::vector<ExploreAxis> shown;
    for (const bool metrics : {false, true})  // causes on the left
        for (const ExploreAxis& axis : axes_)
            if (axis.metric == metrics && keys.contains(QString::fromStdString(axis.key)))
                shown.push_back(axis);
    parallel_->setRuns(runs_, shown);
    scatter_->setRuns(runs_, axes_);
    takeFilter(filter_);
}

QStringList ExplorePanel::shownKeys() const {
    return shown_.isEmpty() ? firstKeys(axes_) : shown_;
}

void ExplorePanel::openAxes() {
    const QStringList keys = shownKeys();
    std::vector<Choice> choices;
    for (const ExploreAxis& axis : axes_) {
        const QString key = QString::fromStdString(axis.key);
        choices.push_back({key, key, axis.metric ? tr("metric") : tr("setting"), keys.contains(key)});
    }
    std::stable_partition(choices.begin(), choices.end(),
                          [](const Choice& choice) { return choice.checked; });
    list_->setChoices(std::move(choices));
    list_->popUp(*columns_);
}

void ExplorePanel::setAxis(const QString& key, bool on) {
    shown_ = shownKeys();
    shown_.removeAll(key);
    if (on) shown_ << key;
    showAxes();
    Q_EMIT stateChanged();
}

void ExplorePanel::takeFilter(const QString& terms) {
    const auto unchanged = [this](const store::RunSummary& run, const std::string& key) {
        const auto schema = context().engine->family(run.family);
        return schema ? unchangedText(*schema, run.preset(), key) : std::nullopt;
    };
    const auto filter = store::RunFilter::parse(terms.toStdString(), unchanged);
    matching_.clear();
    for (const auto& run : runs_)
        if (!filter || filter->matches(run)) matching_ << QString::fromStdString(run.id);
    scatter_->setMatching(matching_);
    updateLegend();
    note_->setText(
        terms.isEmpty()
            ? tr("%1 runs. Drag along an axis, or a box in the scatter plot, to filter.").arg(runs_.size())
            : tr("%1 of %2 runs: %3").arg(matching_.size()).arg(runs_.size()).arg(terms));
    clear_->setVisible(!terms.isEmpty());
    if (std::exchange(filter_, terms) != terms) ask<RunList>().setFilterText(terms);
}

/// The runs' colours, for figures.
void ExplorePanel::updateLegend() {
    std::vector<ChartLegend::Entry> entries;
    for (const auto& run : runs_) {
        const QString id = QString::fromStdString(run.id);
        if (!matching_.contains(id)) continue;
        const RunStyle style = runStyle(id);
        entries.push_back({style.color, kMarkers[static_cast<std::size_t>(style.marker)], runName(run), {}});
    }
    names_->setEntries(std::move(entries));
}

QJsonObject ExplorePanel::saveState() const {
    const auto [x, y] = scatter_->wantedAxes();
    return {{QStringLiteral("axes"), QJsonArray::fromStringList(shown_)},
            {QStringLiteral("x"), x},
            {QStringLiteral("y"), y}};
}

void ExplorePanel::restoreState(const QJsonObject& saved) {
    shown_ = saved.value(QStringLiteral("axes")).toVariant().toStringList();
    scatter_->wantAxes(saved.value(QStringLiteral("x")).toString(),
                       saved.value(QStringLiteral("y")).toString());
    showAxes();
}

void ExplorePanel::choose(const QString& id) {
    context().selection->setRuns({id});
}

bool ExplorePanel::hasData() const {
    return runs_.size() >= 2 && axes_.size() >= 2;
}
void ExplorePanel::engineInfoChanged() {
    takeRuns();
}
/// Of the matching runs, by the first quality metric: ", best BLEU 75.4 (restore-repeat)".
QString ExplorePanel::bestText() const {
    std::vector<std::string> metrics;
    for (const ExploreAxis& axis : axes_)
        if (axis.metric && context().engine->metric(axis.key).ranked &&
            axis.key.substr(0, axis.key.find('@')).find('.') == std::string::npos)  // not "max.bleu"
            metrics.push_back(axis.key);
    for (const std::string& metric : qualityFirst(std::move(metrics))) {
        const auto& axis = *std::ranges::find(axes_, metric, &ExploreAxis::key);
        const auto about = context().engine->metric(metric);
        std::vector<std::pair<double, QString>> valued;
        for (const auto& run : runs_)
            if (const auto value = axis.number(run);
                value && matching_.contains(QString::fromStdString(run.id)))
                valued.emplace_back(*value, QString::fromStdString(run.id));
        if (2 * static_cast<qsizetype>(valued.size()) < matching_.size()) continue;  // of a few only
        const QString best = bestRuns(valued, about.higherIsBetter, 1).value(0);
        for (const auto& run : runs_)
            if (QString::fromStdString(run.id) == best)
                return tr("best %1 %2 (%3)").arg(about.title, axis.text(run), runName(run));
    }
    return {};
}

QString ExplorePanel::statement() const {
    if (!hasData()) return tr("Fewer than two different runs.");
    const auto metrics = std::ranges::count_if(axes_, &ExploreAxis::metric);
    QString text = tr("%1 runs differ in %2 and %3")
                       .arg(QString::number(runs_.size()),
                            countedText(static_cast<std::ptrdiff_t>(axes_.size()) - metrics, tr("setting")),
                            countedText(metrics, tr("metric")));
    if (!filter_.isEmpty()) text += tr("; %1 match %2").arg(matching_.size()).arg(filter_);
    const QString best = bestText();
    return best.isEmpty() ? text + QLatin1Char('.') : tr("%1: %2.").arg(text, best);
}

}  // namespace kurve::views
